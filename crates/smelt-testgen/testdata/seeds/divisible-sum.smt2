; expect: sat
(declare-const x Int)
(declare-const y Int)
(assert (= (mod (+ x y) 3) 0))
(assert (not (= (mod x 3) 0)))
(assert (< (abs (- x y)) 2))
(assert (distinct x y 0))
(check-sat)
