; expect: unsat
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (bag.subbag a b))
(assert (bag.subbag b a))
(assert (distinct a b))
(check-sat)
