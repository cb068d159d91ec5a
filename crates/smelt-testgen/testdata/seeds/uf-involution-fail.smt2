; expect: unsat
(declare-fun f (Int) Int)
(declare-const a Int)
(assert (= (f (f a)) a))
(assert (= (f (f (f a))) (+ a 2)))
(assert (= (f a) (+ a 1)))
(check-sat)
