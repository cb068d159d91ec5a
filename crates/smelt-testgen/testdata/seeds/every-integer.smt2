; expect: unsat
(declare-fun f (Int) Int)
(assert (forall ((x Int)) (> (f x) x)))
(assert (exists ((y Int)) (= (f y) (- y 1))))
(check-sat)
