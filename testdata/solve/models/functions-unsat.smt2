; expect: unsat
(declare-fun f (String) Int)
(declare-fun x () String)
(assert (= x "a"))
(assert (= (f x) 1))
(assert (= (f "a") 2))
(check-sat)
