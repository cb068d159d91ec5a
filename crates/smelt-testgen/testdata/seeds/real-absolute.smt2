; expect: sat
; model: (define-fun x () Real (- (/ 5.0 2.0)))
(declare-const x Real)
(assert (= (ite (< x 0.0) (- x) x) 2.5))
(assert (< x 1.0))
(check-sat)
