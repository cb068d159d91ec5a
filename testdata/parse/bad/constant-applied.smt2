; expect: does not take these arguments
(declare-const x Int)
(assert (x 1))
