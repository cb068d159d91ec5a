; expect: unsat
(declare-const a (Bag Int))
(assert (= a (bag 3 2)))
(assert (distinct (bag.choose a) 3))
(check-sat)
