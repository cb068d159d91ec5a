; expect: unsat
(declare-const x String)
(assert (str.prefixof "ab" x))
(assert (str.suffixof "ab" x))
(assert (= (str.len x) 3))
(check-sat)
