; expect: unsat
(declare-const x (Nullable Int))
(assert (nullable.is_null x))
(assert (nullable.is_some x))
(check-sat)
