; expect: unsat
(declare-const x (_ FiniteField 2))
(declare-const y (_ FiniteField 2))
(declare-const z (_ FiniteField 2))
(assert (distinct x y z))
(check-sat)
