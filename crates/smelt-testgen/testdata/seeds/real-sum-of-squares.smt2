; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (= (+ (* x x) (* y y)) 0.0))
(assert (> x 0.5))
(check-sat)
