; expect: unsat
(declare-const x (_ FiniteField 17))
(declare-const y (_ FiniteField 17))
(assert (= y (ff.add (ff.mul (as ff2 (_ FiniteField 17)) x) (as ff1 (_ FiniteField 17)))))
(assert (= y (ff.add (ff.mul (as ff2 (_ FiniteField 17)) x) (as ff3 (_ FiniteField 17)))))
(check-sat)
