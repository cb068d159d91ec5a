; expect: unsat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (sep (pto x y) sep.emp))
(assert (not (pto x y)))
(check-sat)
