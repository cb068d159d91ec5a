; expect: unsat
(declare-const a (Set Int))
(declare-const b (Set Int))
(assert (distinct (set.union a b) (set.union (set.minus a b) (set.union (set.minus b a) (set.inter a b)))))
(check-sat)
