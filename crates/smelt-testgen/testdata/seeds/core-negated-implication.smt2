; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (not (=> (=> (=> p q) p) p)))
(check-sat)
