; expect: sat
; model: (define-fun x () (_ FiniteField 5) (as ff2 (_ FiniteField 5)))
; model: (define-fun y () (_ FiniteField 5) (as ff3 (_ FiniteField 5)))
(declare-const x (_ FiniteField 5))
(declare-const y (_ FiniteField 5))
(assert (= (ff.add x y) (as ff0 (_ FiniteField 5))))
(assert (= (ff.mul x y) (as ff1 (_ FiniteField 5))))
(check-sat)
