; expect: unsat
(declare-const x (_ FiniteField 3))
(assert (= x (ff.neg x)))
(assert (distinct x (as ff0 (_ FiniteField 3))))
(check-sat)
