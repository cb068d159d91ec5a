; expect: unsat
(declare-const x Real)
(declare-const y Real)
(assert (< (to_int (+ x y)) (+ (to_int x) (to_int y))))
(check-sat)
