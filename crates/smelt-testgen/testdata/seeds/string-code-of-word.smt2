; expect: unsat
(declare-const x String)
(assert (= (str.to_code x) 97))
(assert (= (str.len x) 2))
(check-sat)
