; expect: unsat
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (= (+ (* 5 a) (* 10 b) (* 25 c)) 83))
(assert (>= a 0))
(check-sat)
