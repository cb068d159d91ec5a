; expect: unsat
(declare-const x Real)
(declare-const n Int)
(assert (= x (to_real n)))
(assert (< 0.25 x 0.75))
(check-sat)
