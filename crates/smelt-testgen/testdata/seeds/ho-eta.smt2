; expect: unsat
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(assert (distinct (lambda ((y Int)) (f y)) f))
(check-sat)
