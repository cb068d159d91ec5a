; expect: unsat
(declare-const x String)
(assert (str.in_re x ((_ re.loop 3 1) (str.to_re "a"))))
(check-sat)
