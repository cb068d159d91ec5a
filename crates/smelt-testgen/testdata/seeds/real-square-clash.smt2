; expect: unsat
(declare-const x Real)
(assert (< (* x x) 2.0))
(assert (> x 1.5))
(check-sat)
