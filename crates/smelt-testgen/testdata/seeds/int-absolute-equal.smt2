; expect: sat
; model: (define-fun x () Int (- 1))
; model: (define-fun y () Int 1)
(declare-const x Int)
(declare-const y Int)
(assert (= (abs x) (abs y)))
(assert (distinct x y))
(assert (> (+ x 2) (- y)))
(check-sat)
