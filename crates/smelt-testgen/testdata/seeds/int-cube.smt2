; expect: sat
; model: (define-fun x () Int (- 3))
(declare-const x Int)
(assert (= (* x x x) (- 27)))
(check-sat)
