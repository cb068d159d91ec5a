; expect: unsat
(declare-fun f (Bool) Int)
(declare-const p Bool)
(assert (distinct (f p) (f true)))
(assert (distinct (f p) (f false)))
(check-sat)
