; expect: sat
; model: (define-fun y () Int 3)
; model: (define-fun x () Int 4)
(declare-const x Int)
(declare-const y Int)
(assert (= (+ (* x x) (* y y)) 25))
(assert (> x y 0))
(check-sat)
