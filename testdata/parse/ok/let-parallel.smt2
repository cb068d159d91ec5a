(declare-const x Int)
(declare-const y Int)
(assert (let ((x y) (y x)) (< x y)))
