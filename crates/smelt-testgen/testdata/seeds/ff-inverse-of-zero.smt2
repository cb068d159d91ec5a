; expect: unsat
(declare-const x (_ FiniteField 5))
(declare-const y (_ FiniteField 5))
(assert (= x (as ff0 (_ FiniteField 5))))
(assert (= (ff.mul x y) (as ff1 (_ FiniteField 5))))
(check-sat)
