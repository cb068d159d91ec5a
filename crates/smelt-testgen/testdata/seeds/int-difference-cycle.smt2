; expect: unsat
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (<= (- x y) 2))
(assert (<= (- y z) (- 5)))
(assert (<= (- z x) 2))
(check-sat)
