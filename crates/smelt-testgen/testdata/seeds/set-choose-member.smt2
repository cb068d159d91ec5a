; expect: unsat
(declare-const a (Set Int))
(assert (not (set.is_empty a)))
(assert (not (set.member (set.choose a) a)))
(check-sat)
