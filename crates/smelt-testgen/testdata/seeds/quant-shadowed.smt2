; expect: unsat
(declare-const x Int)
(assert (forall ((x Int)) (=> (> x 3) (> x 2))))
(assert (> x 3))
(assert (< x 3))
(check-sat)
