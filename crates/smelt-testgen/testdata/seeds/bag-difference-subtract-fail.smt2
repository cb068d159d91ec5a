; expect: unsat
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(declare-const x Int)
(assert (= (bag.count x a) 1))
(assert (= (bag.count x b) 2))
(assert (= (bag.count x (bag.difference_subtract a b)) 1))
(check-sat)
