; expect: unsat
(declare-const p (Relation Int))
(declare-const x Int)
(declare-const y Int)
(assert (set.member (tuple x y) (rel.iden p)))
(assert (distinct x y))
(check-sat)
