; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (= (set.singleton (+ x 1)) (set.singleton (+ y 1))))
(assert (distinct x y))
(check-sat)
