; expect: unsat
(declare-const x (_ FiniteField 13))
(declare-const y (_ FiniteField 13))
(assert (= (ff.bitsum x y) (as ff7 (_ FiniteField 13))))
(assert (= (ff.mul x x) x))
(assert (= (ff.mul y y) y))
(check-sat)
