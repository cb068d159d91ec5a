; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (distinct p q))
(assert (distinct q r))
(assert (distinct p r))
(check-sat)
