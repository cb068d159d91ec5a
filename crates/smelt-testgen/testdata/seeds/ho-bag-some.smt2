; expect: unsat
(set-logic HO_ALL)
(declare-const a (Bag Int))
(assert (= a (bag 3 2)))
(assert (not (bag.some (lambda ((x Int)) (> x 2)) a)))
(check-sat)
