; expect: unsat
(declare-const a (Set Bool))
(declare-const b (Set Bool))
(declare-const d (Set Bool))
(declare-const e (Set Bool))
(declare-const g (Set Bool))
(assert (distinct a b d e g))
(check-sat)
