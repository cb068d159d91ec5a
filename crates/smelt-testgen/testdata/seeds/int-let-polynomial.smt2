; expect: sat
; model: (define-fun x () Int 5)
(declare-const x Int)
(assert (let ((y (+ x 1))) (= (* y y) (+ (* x x) 11))))
(check-sat)
