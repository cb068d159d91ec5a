; expect: sat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (sep (pto x y) (pto y x)))
(check-sat)
