; expect: unsat
(declare-const b (_ FiniteField 11))
(assert (= (ff.mul b b) b))
(assert (= b (as ff2 (_ FiniteField 11))))
(check-sat)
