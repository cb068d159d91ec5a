; expect: unsat
(declare-const r (Relation Int Int))
(declare-const s (Relation Int Int))
(declare-const x Int)
(declare-const y Int)
(assert (set.member (tuple x y) (rel.transpose (rel.join r s))))
(assert (not (set.member (tuple x y) (rel.join (rel.transpose s) (rel.transpose r)))))
(check-sat)
