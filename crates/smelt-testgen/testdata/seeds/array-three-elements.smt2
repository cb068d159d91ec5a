; expect: unsat
(declare-const a (Array Bool Int))
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (distinct (select a p) (select a q)))
(assert (distinct (select a q) (select a r)))
(assert (distinct (select a p) (select a r)))
(check-sat)
