; expect: unsat
(declare-const x String)
(declare-const i Int)
(assert (> (str.len (str.at x i)) 1))
(check-sat)
