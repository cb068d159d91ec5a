; expect: sat
; model: (define-fun x () Int (- 12))
(declare-const x Int)
(assert (= (mod x 5) 3))
(assert (< x (- 10)))
(assert (> x (- 20)))
(check-sat)
