; expect: unsat
(declare-fun f (Int) Int)
(declare-const a Int)
(declare-const b Int)
(assert (= a b))
(assert (distinct (f a) (f b)))
(check-sat)
