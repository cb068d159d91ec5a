; expect: unsat
(declare-const x Int)
(assert (forall ((y Int)) (=> (> y x) (> (* 2 y) 0))))
(assert (< x (- 5)))
(check-sat)
