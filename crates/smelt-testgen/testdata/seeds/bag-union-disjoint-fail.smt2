; expect: unsat
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(declare-const x Int)
(assert (= (bag.count x a) 1))
(assert (= (bag.count x (bag.union_disjoint a b)) 0))
(check-sat)
