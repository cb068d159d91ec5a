; expect: unsat
(declare-const x String)
(assert (str.< "a" x))
(assert (str.< x "b"))
(assert (= (str.len x) 1))
(check-sat)
