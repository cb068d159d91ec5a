; expect: sat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (pto x y))
(assert (> y 3))
(check-sat)
