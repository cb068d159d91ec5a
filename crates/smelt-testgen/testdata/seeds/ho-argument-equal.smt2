; expect: unsat
(set-logic HO_ALL)
(declare-fun p ((-> Int Int)) Bool)
(declare-fun f (Int) Int)
(declare-fun g (Int) Int)
(assert (= f g))
(assert (p f))
(assert (not (p g)))
(check-sat)
