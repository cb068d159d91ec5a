; expect: unsat
(declare-const a (Set Int))
(declare-const b (Set Int))
(assert (set.subset a b))
(assert (set.subset b a))
(assert (distinct a b))
(check-sat)
