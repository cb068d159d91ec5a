; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (< x y))
(assert (not (< x (/ (+ x y) 2.0) y)))
(check-sat)
