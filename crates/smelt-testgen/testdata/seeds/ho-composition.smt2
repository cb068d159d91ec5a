; expect: unsat
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(define-fun compose ((g (-> Int Int)) (h (-> Int Int)) (x Int)) Int (g (h x)))
(assert (distinct (compose f f 0) (f (f 0))))
(check-sat)
