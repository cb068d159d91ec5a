; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (= (+ x y) 3.5))
(assert (= (+ (* 2.0 x) (* 2.0 y)) 7.5))
(check-sat)
