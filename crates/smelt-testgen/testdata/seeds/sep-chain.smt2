; expect: sat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (sep (pto x y) (pto y z) (pto z 0)))
(assert (distinct x z))
(check-sat)
