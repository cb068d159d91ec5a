; expect: unsat
(declare-const x String)
(declare-const n Int)
(assert (= x (str.from_int n)))
(assert (< n 0))
(assert (> (str.len x) 0))
(check-sat)
