; expect: unsat
(declare-const x Int)
(assert (= (mod (* x x) 8) 5))
(assert (<= 0 x 9))
(check-sat)
