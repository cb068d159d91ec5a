; expect: unsat
(declare-const a (Set Int))
(declare-const b (Set Int))
(assert (distinct (set.union a (set.inter a b)) a))
(check-sat)
