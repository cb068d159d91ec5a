; expect: sat
; model: (define-fun y () Int 12)
; model: (define-fun x () Int 4)
(declare-const x Int)
(declare-const y Int)
(assert (or (= x 1) (= x 4)))
(assert (or (= y (* 3 x)) (= y (- x))))
(assert (= (+ x y) 16))
(check-sat)
