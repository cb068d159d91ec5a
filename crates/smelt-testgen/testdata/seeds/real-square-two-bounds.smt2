; expect: sat
; model: (define-fun x () Real (/ 23.0 16.0))
(declare-const x Real)
(assert (> (* x x) 2.0))
(assert (< (* x x) 2.25))
(assert (> x 0.0))
(check-sat)
