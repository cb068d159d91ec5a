; expect: unsat
(declare-const x Real)
(declare-const n Int)
(assert (= n (to_int (+ x 0.5))))
(assert (> (to_real n) (+ x 0.5)))
(check-sat)
