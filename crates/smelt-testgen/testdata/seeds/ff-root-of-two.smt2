; expect: sat
; model: (define-fun x () (_ FiniteField 7) (as ff3 (_ FiniteField 7)))
(declare-const x (_ FiniteField 7))
(assert (= (ff.mul x x) (as ff2 (_ FiniteField 7))))
(check-sat)
