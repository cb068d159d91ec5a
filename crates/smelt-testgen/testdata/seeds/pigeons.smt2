; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (=> p q))
(assert (or (and p (not r)) (xor q r)))
(assert (= p q r))
(check-sat)
