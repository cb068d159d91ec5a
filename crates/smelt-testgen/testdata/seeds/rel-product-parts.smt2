; expect: unsat
(declare-const p (Relation Int))
(declare-const q (Relation Int))
(declare-const x Int)
(declare-const y Int)
(assert (set.member (tuple x y) (rel.product p q)))
(assert (not (set.member (tuple y) q)))
(check-sat)
