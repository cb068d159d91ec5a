; expect: unsat
(declare-const x (_ FiniteField 7))
(declare-const y (_ FiniteField 7))
(assert (= (ff.mul x y) (as ff0 (_ FiniteField 7))))
(assert (distinct x (as ff0 (_ FiniteField 7))))
(assert (distinct y (as ff0 (_ FiniteField 7))))
(check-sat)
