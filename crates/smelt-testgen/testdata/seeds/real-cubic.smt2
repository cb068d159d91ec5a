; expect: sat
; model: (define-fun x () Real (/ 1.0 2.0))
(declare-const x Real)
(assert (= (* x x x) 0.125))
(check-sat)
