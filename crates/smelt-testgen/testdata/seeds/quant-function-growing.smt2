; expect: unsat
(declare-fun f (Int) Int)
(assert (forall ((y Int)) (> (f (+ y 1)) (f y))))
(assert (= (f 0) (f 2)))
(check-sat)
