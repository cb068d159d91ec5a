; expect: unsat
(declare-fun f (Int) Int)
(assert (forall ((y Int)) (= (f y) 3)))
(assert (distinct (f 7) 3))
(check-sat)
