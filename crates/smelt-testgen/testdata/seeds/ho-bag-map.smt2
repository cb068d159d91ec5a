; expect: unsat
(set-logic HO_ALL)
(declare-const a (Bag Int))
(assert (= a (bag 3 2)))
(assert (distinct (bag.count 4 (bag.map (lambda ((x Int)) (+ x 1)) a)) 2))
(check-sat)
