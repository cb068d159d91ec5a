; expect: sat
(declare-heap (Int Int))
(declare-const x Int)
(assert (wand (pto x 1) (pto x 1)))
(check-sat)
