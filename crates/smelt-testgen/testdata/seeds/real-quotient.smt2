; expect: sat
; model: (define-fun x () Real 10.0)
; model: (define-fun y () Real 4.0)
(declare-const x Real)
(declare-const y Real)
(assert (= (/ x y) 2.5))
(assert (= y 4.0))
(assert (> x 9.0))
(check-sat)
