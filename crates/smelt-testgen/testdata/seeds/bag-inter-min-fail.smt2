; expect: unsat
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(declare-const x Int)
(assert (> (bag.count x (bag.inter_min a b)) (bag.count x a)))
(check-sat)
