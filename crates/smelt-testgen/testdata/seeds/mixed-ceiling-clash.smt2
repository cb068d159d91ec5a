; expect: unsat
(declare-const x Real)
(declare-const n Int)
(assert (= n (- (to_int (- x)))))
(assert (> x (to_real n)))
(check-sat)
