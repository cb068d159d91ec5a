; expect: sat
; model: (define-fun x () (_ FiniteField 17) (as ff4 (_ FiniteField 17)))
; model: (define-fun y () (_ FiniteField 17) (as ff9 (_ FiniteField 17)))
(declare-const x (_ FiniteField 17))
(declare-const y (_ FiniteField 17))
(assert (= y (ff.add (ff.mul (as ff2 (_ FiniteField 17)) x) (as ff1 (_ FiniteField 17)))))
(assert (= x (as ff4 (_ FiniteField 17))))
(check-sat)
