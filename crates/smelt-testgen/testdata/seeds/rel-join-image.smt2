; expect: unsat
(declare-const r (Relation Int Int))
(assert (= r (set.singleton (tuple 1 2))))
(assert (not (set.member (tuple 1) (rel.join_image r 1))))
(check-sat)
