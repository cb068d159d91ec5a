; expect: unsat
(declare-const x (Nullable Int))
(declare-const y (Nullable Int))
(assert (nullable.is_null x))
(assert (nullable.is_null y))
(assert (distinct x y))
(check-sat)
