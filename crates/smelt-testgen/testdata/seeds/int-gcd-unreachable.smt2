; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (= (+ (* 6 x) (* 10 y)) 15))
(check-sat)
