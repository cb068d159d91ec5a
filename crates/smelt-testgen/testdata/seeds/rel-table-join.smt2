; expect: unsat
(declare-const r (Relation Int Bool))
(declare-const s (Relation Int Int))
(assert (set.member (tuple 1 true) r))
(assert (set.member (tuple 1 5) s))
(assert (not (set.member (tuple 1 true 1 5) ((_ rel.table_join 0 0) r s))))
(check-sat)
