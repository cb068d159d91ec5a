; expect: unsat
(declare-const a (Bag Int))
(declare-const x Int)
(assert (< (bag.count x a) 0))
(check-sat)
