; expect: sat
; model: (define-fun q () Bool true)
; model: (define-fun p () Bool true)
(declare-const p Bool)
(declare-const q Bool)
(assert (let ((a (xor p q)) (b (and p q))) (and (not a) (or b p))))
(check-sat)
