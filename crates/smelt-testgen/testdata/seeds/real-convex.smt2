; expect: unsat
(declare-const x Real)
(declare-const y Real)
(declare-const t Real)
(assert (<= 0.0 t 1.0))
(assert (< x y))
(assert (> (+ (* t x) (* (- 1.0 t) y)) y))
(check-sat)
