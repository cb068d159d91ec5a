; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (str.in_re x (re.* (str.to_re "a"))))
(assert (= (str.++ "b" y) x))
(check-sat)
