(set-logic QF_S)
(declare-const x Int)
(assert (forall ((y Int)) (< x (+ y 1))))
