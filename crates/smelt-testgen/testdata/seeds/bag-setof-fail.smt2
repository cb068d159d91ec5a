; expect: unsat
(declare-const a (Bag Int))
(declare-const x Int)
(assert (> (bag.count x (bag.setof a)) 1))
(check-sat)
