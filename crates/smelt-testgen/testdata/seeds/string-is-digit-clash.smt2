; expect: unsat
(declare-const x String)
(assert (str.is_digit x))
(assert (= (str.to_int x) (- 1)))
(check-sat)
