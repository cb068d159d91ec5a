; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (<= x y))
(assert (> (div x 3) (div y 3)))
(check-sat)
