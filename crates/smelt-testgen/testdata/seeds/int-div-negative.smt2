; expect: sat
; model: (define-fun x () Int (- 11))
(declare-const x Int)
(assert (= (div x (- 3)) 4))
(assert (not (= (mod x (- 3)) 0)))
(check-sat)
