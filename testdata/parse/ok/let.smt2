(declare-const x Int)
(assert (let ((y (+ x 1)) (z 2)) (let ((x y)) (< x (+ y z)))))
