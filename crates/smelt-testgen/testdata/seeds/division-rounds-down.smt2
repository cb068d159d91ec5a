; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (> y 0))
(assert (or (< (mod x y) 0) (> (* y (div x y)) x)))
(check-sat)
