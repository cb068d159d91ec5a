; expect: unsat
(declare-const r (Relation Int Int))
(declare-const s (Relation Int Int))
(assert (= r (set.singleton (tuple 1 2))))
(assert (= s (set.singleton (tuple 3 4))))
(assert (set.member (tuple 1 4) (rel.join r s)))
(check-sat)
