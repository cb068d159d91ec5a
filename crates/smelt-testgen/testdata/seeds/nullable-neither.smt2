; expect: unsat
(declare-const x (Nullable Int))
(assert (not (nullable.is_null x)))
(assert (not (nullable.is_some x)))
(check-sat)
