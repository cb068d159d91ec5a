; expect: sat
; model: (define-fun q () Bool false)
; model: (define-fun p () Bool true)
(declare-const p Bool)
(declare-const q Bool)
(assert (let ((p (not q))) (let ((q p)) (and p q))))
(assert (or q p))
(check-sat)
