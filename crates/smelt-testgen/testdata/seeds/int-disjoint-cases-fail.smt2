; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (or (= x 1) (= x 4)))
(assert (or (= y (* 3 x)) (= y (- x))))
(assert (= (+ x y) 5))
(check-sat)
