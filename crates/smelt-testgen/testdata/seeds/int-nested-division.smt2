; expect: unsat
(declare-const x Int)
(assert (not (= (div (div x 2) 3) (div x 6))))
(check-sat)
