; expect: the sort of `set.empty` does not follow from its arguments
(assert (= set.empty set.empty))
