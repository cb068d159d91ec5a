; expect: unsat
(declare-const x (Nullable (Nullable Int)))
(assert (= x (nullable.some (nullable.val x))))
(assert (nullable.is_null x))
(check-sat)
