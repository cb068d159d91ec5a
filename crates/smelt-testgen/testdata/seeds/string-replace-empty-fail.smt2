; expect: unsat
(declare-const x String)
(assert (= (str.replace x "" "c") "ab"))
(check-sat)
