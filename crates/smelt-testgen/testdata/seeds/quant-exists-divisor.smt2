; expect: unsat
(declare-const x Int)
(assert (= x 6))
(assert (forall ((y Int)) (not (= (* 5 y) (+ x 4)))))
(check-sat)
