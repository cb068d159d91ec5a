; expect: sat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (sep (pto x 1) true))
(assert (not (pto x 1)))
(check-sat)
