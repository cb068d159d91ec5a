; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (= y 4.0))
(assert (= (/ x y) 2.5))
(assert (< x 10.0))
(check-sat)
