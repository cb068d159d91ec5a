; expect: unsat
(declare-const x (Nullable String))
(declare-const s String)
(assert (= x (nullable.some s)))
(assert (= (str.len (nullable.val x)) 0))
(assert (distinct s ""))
(check-sat)
