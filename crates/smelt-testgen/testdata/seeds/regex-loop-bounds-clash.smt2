; expect: unsat
(declare-const x String)
(assert (str.in_re x ((_ re.loop 2 4) (str.to_re "ab"))))
(assert (= (str.len x) 10))
(check-sat)
