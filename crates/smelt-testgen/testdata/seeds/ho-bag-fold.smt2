; expect: unsat
(set-logic HO_ALL)
(declare-const a (Bag Int))
(assert (= a (bag 3 2)))
(assert (distinct (bag.fold (lambda ((x Int) (s Int)) (+ x s)) 0 a) 6))
(check-sat)
