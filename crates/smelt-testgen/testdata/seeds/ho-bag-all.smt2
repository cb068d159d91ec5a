; expect: unsat
(set-logic HO_ALL)
(declare-const a (Bag Int))
(assert (= a (bag 3 2)))
(assert (bag.all (lambda ((x Int)) (> x 5)) a))
(check-sat)
