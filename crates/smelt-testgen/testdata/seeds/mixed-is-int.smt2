; expect: sat
; model: (define-fun x () Real (/ 9.0 2.0))
(declare-const x Real)
(assert (is_int (* 2.0 x)))
(assert (not (is_int x)))
(assert (> x 3.0))
(check-sat)
