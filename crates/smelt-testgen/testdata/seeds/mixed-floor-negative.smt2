; expect: unsat
(declare-const x Real)
(declare-const n Int)
(assert (= n (to_int x)))
(assert (= x (- 2.5)))
(assert (= n (- 2)))
(check-sat)
