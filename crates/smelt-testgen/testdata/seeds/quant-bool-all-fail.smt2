; expect: unsat
(declare-const p Bool)
(assert (forall ((q Bool)) (= p q)))
(check-sat)
