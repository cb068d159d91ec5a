; expect: unsat
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(declare-fun g (Int) Int)
(declare-const b Bool)
(declare-const x Int)
(assert (distinct (@ (ite b f g) x) (ite b (f x) (g x))))
(check-sat)
