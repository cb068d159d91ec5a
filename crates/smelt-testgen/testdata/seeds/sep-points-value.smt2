; expect: unsat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (and (pto x y) (pto x z)))
(assert (distinct y z))
(check-sat)
