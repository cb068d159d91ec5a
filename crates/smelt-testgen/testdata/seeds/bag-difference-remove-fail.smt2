; expect: unsat
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(declare-const x Int)
(assert (bag.member x b))
(assert (bag.member x (bag.difference_remove a b)))
(check-sat)
