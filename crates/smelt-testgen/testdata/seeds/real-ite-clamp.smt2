; expect: sat
; model: (define-fun x () Real (/ 1.0 4.0))
; model: (define-fun y () Real (/ 1.0 4.0))
(declare-const x Real)
(declare-const y Real)
(assert (= y (ite (< x 0.0) 0.0 (ite (> x 1.0) 1.0 x))))
(assert (= y 0.25))
(check-sat)
