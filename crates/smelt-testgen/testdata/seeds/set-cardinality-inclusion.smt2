; expect: unsat
(declare-const a (Set Int))
(declare-const b (Set Int))
(assert (set.subset a b))
(assert (> (set.card a) (set.card b)))
(check-sat)
