; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (or (and p q) (and p r) (and q r)))
(assert (not (and p q)))
(assert (not r))
(check-sat)
