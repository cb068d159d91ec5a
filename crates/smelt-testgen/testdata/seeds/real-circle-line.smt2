; expect: sat
; model: (define-fun x () Real 4.0)
; model: (define-fun y () Real 3.0)
(declare-const x Real)
(declare-const y Real)
(assert (= (+ (* x x) (* y y)) 25.0))
(assert (= x (+ y 1.0)))
(assert (> y 0.0))
(check-sat)
