; expect: sat
; model: (define-fun x () (_ FiniteField 3) (as ff1 (_ FiniteField 3)))
; model: (define-fun y () (_ FiniteField 3) (as ff2 (_ FiniteField 3)))
(declare-const x (_ FiniteField 3))
(declare-const y (_ FiniteField 3))
(assert (= y (ff.neg x)))
(assert (distinct x y))
(check-sat)
