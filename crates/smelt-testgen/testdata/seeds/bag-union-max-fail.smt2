; expect: unsat
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(declare-const x Int)
(assert (> (bag.count x (bag.union_max a b)) (+ (bag.count x a) (bag.count x b))))
(check-sat)
