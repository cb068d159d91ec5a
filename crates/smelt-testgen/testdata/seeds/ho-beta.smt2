; expect: unsat
(set-logic HO_ALL)
(define-fun applied ((g (-> Int Int)) (y Int)) Int (g y))
(declare-const x Int)
(assert (distinct (applied (lambda ((y Int)) (+ y x)) 1) (+ 1 x)))
(check-sat)
