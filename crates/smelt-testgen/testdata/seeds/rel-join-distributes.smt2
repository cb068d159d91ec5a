; expect: unsat
(declare-const r (Relation Int Int))
(declare-const s (Relation Int Int))
(declare-const t (Relation Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (set.member (tuple x y) (rel.join r (set.inter s t))))
(assert (not (set.member (tuple x y) (rel.join r s))))
(check-sat)
