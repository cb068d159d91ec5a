; expect: unsat
(declare-const x (Nullable Int))
(declare-const p Bool)
(assert (= x (ite p (nullable.some 2) (as nullable.null (Nullable Int)))))
(assert (= p (nullable.is_null x)))
(check-sat)
