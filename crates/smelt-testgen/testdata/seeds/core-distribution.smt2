; expect: unsat
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (not (= (and p (or q r)) (or (and p q) (and p r)))))
(check-sat)
