; expect: unsat
(declare-const x Int)
(declare-const n Int)
(assert (= n 6))
(assert (< (* n n) (* x x) (* (+ n 1) (+ n 1))))
(check-sat)
