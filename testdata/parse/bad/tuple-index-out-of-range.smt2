; expect: an index of `tuple.select` is out of range: the tuple has 2 components, counted from 0
(assert ((_ tuple.select 2) (tuple 1 true)))
