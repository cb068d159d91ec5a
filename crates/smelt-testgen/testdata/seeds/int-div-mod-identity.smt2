; expect: unsat
(declare-const x Int)
(assert (not (= x (+ (* 7 (div x 7)) (mod x 7)))))
(check-sat)
