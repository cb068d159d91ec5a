; expect: unsat
(declare-const x Int)
(assert (forall ((y Int)) (<= y x)))
(check-sat)
