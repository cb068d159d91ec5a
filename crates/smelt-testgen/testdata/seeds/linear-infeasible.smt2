; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (<= (+ x (* 2.0 y)) 3.0))
(assert (>= (- x y) (/ 9.0 2.0)))
(assert (> y 0.5))
(check-sat)
