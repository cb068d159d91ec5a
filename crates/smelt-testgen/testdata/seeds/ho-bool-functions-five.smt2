; expect: unsat
(set-logic HO_ALL)
(declare-fun p (Bool) Bool)
(declare-fun q (Bool) Bool)
(declare-fun r (Bool) Bool)
(declare-fun s (Bool) Bool)
(declare-fun t (Bool) Bool)
(assert (distinct p q r s t))
(check-sat)
