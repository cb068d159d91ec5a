; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (> y 0))
(assert (>= (mod x y) y))
(check-sat)
