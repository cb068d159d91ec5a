; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(declare-const s Bool)
(assert (xor p q r s))
(assert (= p q))
(assert (= r s))
(check-sat)
