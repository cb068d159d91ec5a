; expect: unsat
(declare-const x String)
(assert (= (str.++ x "ab") (str.++ "ab" x)))
(assert (= (str.len x) 3))
(check-sat)
