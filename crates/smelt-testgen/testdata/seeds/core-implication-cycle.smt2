; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (=> p q r))
(assert (=> q (not r)))
(assert p)
(assert q)
(check-sat)
