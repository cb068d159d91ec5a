; expect: unsat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (sep (pto x y) (pto x z)))
(check-sat)
