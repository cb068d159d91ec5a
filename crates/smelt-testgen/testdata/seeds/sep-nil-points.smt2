; expect: unsat
(declare-heap (Int Int))
(declare-const y Int)
(assert (pto (as sep.nil Int) y))
(check-sat)
