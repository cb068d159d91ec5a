; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (= y (ite (< x 0.0) 0.0 (ite (> x 1.0) 1.0 x))))
(assert (> y 1.0))
(check-sat)
