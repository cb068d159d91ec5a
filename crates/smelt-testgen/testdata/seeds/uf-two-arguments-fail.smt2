; expect: unsat
(declare-fun g (Int Int) Int)
(declare-const a Int)
(declare-const b Int)
(assert (= (g a b) (+ (g b a) 1)))
(assert (= a b))
(check-sat)
