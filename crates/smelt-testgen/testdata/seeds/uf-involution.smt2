; expect: sat
; model: (define-fun a () Int 0)
; model: (define-fun f ((x!0 Int)) Int (ite (= x!0 2) 0 2))
(declare-fun f (Int) Int)
(declare-const a Int)
(assert (= (f (f a)) a))
(assert (distinct (f a) a))
(assert (= (f (f (f a))) (+ a 2)))
(check-sat)
