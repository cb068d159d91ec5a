; expect: sat
; model: (define-fun f ((x Int)) Int (+ x 1))
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(define-fun twice ((g (-> Int Int)) (x Int)) Int (g (g x)))
(assert (= (twice f 3) 5))
(assert (= (f 3) 4))
(check-sat)
