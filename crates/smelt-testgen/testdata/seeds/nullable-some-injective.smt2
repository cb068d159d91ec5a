; expect: unsat
(declare-const x Int)
(declare-const y Int)
(assert (= (nullable.some x) (nullable.some y)))
(assert (distinct x y))
(check-sat)
