; expect: unsat
(declare-const x String)
(assert (= (str.at x 5) "a"))
(assert (< (str.len x) 6))
(check-sat)
