; expect: unsat
(declare-const x String)
(assert (str.prefixof "a" x))
(assert (= (str.replace x "a" "b") x))
(check-sat)
