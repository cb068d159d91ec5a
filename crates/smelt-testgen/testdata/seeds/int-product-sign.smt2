; expect: sat
; model: (define-fun y () Int (- 1))
; model: (define-fun x () Int (- 1))
(declare-const x Int)
(declare-const y Int)
(assert (> (* x y) 0))
(assert (< (+ x y) 0))
(assert (> x (- 4)))
(check-sat)
