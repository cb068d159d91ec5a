; expect: sat
; model: (define-fun x () (_ FiniteField 2) (as ff1 (_ FiniteField 2)))
; model: (define-fun y () (_ FiniteField 2) (as ff0 (_ FiniteField 2)))
(declare-const x (_ FiniteField 2))
(declare-const y (_ FiniteField 2))
(assert (distinct x y))
(assert (= (ff.add x y) (as ff1 (_ FiniteField 2))))
(assert (= x (as ff1 (_ FiniteField 2))))
(check-sat)
