; expect: sat
; model: (define-fun y () Real 6.0)
; model: (define-fun x () Real 3.0)
(declare-const x Real)
(declare-const y Real)
(assert (= y (- (* x x) 3.0)))
(assert (= y (* 2.0 x)))
(assert (> x 0.0))
(check-sat)
