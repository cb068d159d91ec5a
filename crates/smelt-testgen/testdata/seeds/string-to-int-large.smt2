; expect: unsat
(declare-const x String)
(assert (> (str.to_int x) 999))
(assert (< (str.len x) 4))
(check-sat)
