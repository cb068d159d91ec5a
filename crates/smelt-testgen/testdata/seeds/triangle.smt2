; expect: sat
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= (+ (* x x) (* y y)) (* z z)))
(assert (< 0 x y z 15))
(check-sat)
