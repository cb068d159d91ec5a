; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (= y (+ (* x x) 1.0)))
(assert (< y 1.0))
(check-sat)
