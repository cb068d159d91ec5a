; expect: unsat
(declare-const x Real)
(assert (< 0.0 x))
(assert (< (* 3.0 x) 1.0))
(assert (>= (* 3.0 x) 1.0))
(check-sat)
