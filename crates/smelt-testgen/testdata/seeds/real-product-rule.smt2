; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (= (* x y) 2.0))
(assert (= x (* 4.0 y)))
(assert (> x 0.0))
(assert (< y 0.70))
(check-sat)
