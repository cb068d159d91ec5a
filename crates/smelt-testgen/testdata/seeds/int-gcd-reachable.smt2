; expect: sat
; model: (define-fun y () Int (- 4))
; model: (define-fun x () Int 9)
(declare-const x Int)
(declare-const y Int)
(assert (= (+ (* 6 x) (* 10 y)) 14))
(assert (> x 5))
(check-sat)
