; expect: sat
; model: (define-fun p () Bool false)
; model: (define-fun x () Real (/ 9.0 20.0))
(declare-const p Bool)
(declare-const x Real)
(assert (= p (> x 0.5)))
(assert (=> p (< x 0.25)))
(assert (or p (> x 0.4)))
(check-sat)
