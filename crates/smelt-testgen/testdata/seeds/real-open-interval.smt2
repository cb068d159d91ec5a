; expect: sat
; model: (define-fun x () Real (/ 7.0 24.0))
(declare-const x Real)
(assert (< 0.0 x))
(assert (< (* 3.0 x) 1.0))
(assert (> (* 4.0 x) 1.0))
(check-sat)
