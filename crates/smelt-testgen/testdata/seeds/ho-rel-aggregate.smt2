; expect: unsat
(set-logic HO_ALL)
(declare-const r (Relation Int Int))
(assert (= r (set.singleton (tuple 1 2))))
(assert (not (set.member 3 ((_ rel.aggr 0) (lambda ((t (Tuple Int Int)) (s Int)) (+ s ((_ tuple.select 1) t))) 1 r))))
(check-sat)
