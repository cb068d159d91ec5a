; expect: unsat
(declare-const x (Nullable Int))
(declare-const n Int)
(assert (= x (nullable.some n)))
(assert (> (nullable.val x) n))
(check-sat)
