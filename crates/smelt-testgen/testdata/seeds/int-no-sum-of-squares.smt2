; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (= (+ (* x x) (* y y)) 7))
(assert (<= 0 x 3))
(assert (<= 0 y 3))
(check-sat)
