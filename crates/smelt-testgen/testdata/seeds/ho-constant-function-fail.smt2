; expect: unsat
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(assert (= f (lambda ((x Int)) 7)))
(assert (distinct (f (f 1)) 7))
(check-sat)
