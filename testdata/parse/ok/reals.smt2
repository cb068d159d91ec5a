(declare-const x Real)
(assert (< (/ x 2.0 3.0) (+ x 0.5) (* 2.0 x)))
(assert (= x (/ 1 3)))
