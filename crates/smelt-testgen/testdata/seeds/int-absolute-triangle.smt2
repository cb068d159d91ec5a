; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (> (abs (+ x y)) (+ (abs x) (abs y))))
(check-sat)
