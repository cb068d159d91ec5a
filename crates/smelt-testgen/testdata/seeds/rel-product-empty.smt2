; expect: unsat
(declare-const p (Relation Int))
(declare-const q (Relation Bool))
(declare-const x Int)
(declare-const b Bool)
(assert (set.is_empty p))
(assert (set.member (tuple x b) (rel.product p q)))
(check-sat)
