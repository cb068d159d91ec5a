; expect: unsat
(declare-const x String)
(assert (= (str.replace_all x "b" "b") "abab"))
(assert (not (= x "abab")))
(check-sat)
