; expect: unsat
(declare-const r (Relation Int Int))
(assert (= r (set.singleton (tuple 1 2))))
(assert (not (set.member r ((_ rel.group 0) r))))
(check-sat)
