; expect: unsat
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(declare-fun g (Int) Int)
(assert (= f g))
(assert (distinct (f 2) (g 2)))
(check-sat)
