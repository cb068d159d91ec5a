; expect: unsat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(assert sep.emp)
(assert (pto x y))
(check-sat)
