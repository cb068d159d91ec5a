; expect: sat
; model: (define-fun y () Real (/ 3.0 2.0))
; model: (define-fun x () Real 2.0)
(declare-const x Real)
(declare-const y Real)
(assert (= (+ x y) 3.5))
(assert (= (- x y) 0.5))
(check-sat)
