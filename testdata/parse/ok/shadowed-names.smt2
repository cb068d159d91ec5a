(declare-const x Int)
(assert (forall ((x Bool)) (let ((x (not x))) x)))
(assert (= x 1))
