; expect: unsat
(declare-const x (_ FiniteField 5))
(assert (distinct (ff.mul x x x x x) x))
(check-sat)
