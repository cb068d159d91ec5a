; expect: unsat
(declare-const x (_ FiniteField 7))
(assert (= (ff.mul x x) (as ff3 (_ FiniteField 7))))
(check-sat)
