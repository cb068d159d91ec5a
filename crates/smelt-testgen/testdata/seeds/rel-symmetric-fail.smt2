; expect: unsat
(declare-const r (Relation Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (= r (rel.transpose r)))
(assert (set.member (tuple x y) r))
(assert (not (set.member (tuple y x) r)))
(check-sat)
