; expect: sat
; model: (define-fun b () (_ FiniteField 11) (as ff1 (_ FiniteField 11)))
(declare-const b (_ FiniteField 11))
(assert (= (ff.mul b b) b))
(assert (distinct b (as ff0 (_ FiniteField 11))))
(check-sat)
