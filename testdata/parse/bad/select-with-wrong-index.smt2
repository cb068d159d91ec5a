; expect: `select` has signature
(declare-const a (Array Int Bool))
(assert (select a true))
