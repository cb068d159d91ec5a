; expect: unsat
(declare-const r (Relation Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (set.member (tuple x y) r))
(assert (set.member (tuple y z) r))
(assert (not (set.member (tuple x z) (rel.tclosure r))))
(check-sat)
