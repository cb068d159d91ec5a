; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (= (* 2 x) (+ (* 4 y) 1)))
(check-sat)
