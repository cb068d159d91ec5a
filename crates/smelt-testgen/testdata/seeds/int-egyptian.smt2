; expect: sat
; model: (define-fun y () Int 6)
; model: (define-fun x () Int 12)
(declare-const x Int)
(declare-const y Int)
(assert (= (* x y) (* 4 (+ x y))))
(assert (> x 8))
(assert (> y 4))
(check-sat)
