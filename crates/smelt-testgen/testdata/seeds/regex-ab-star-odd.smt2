; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.+ (str.to_re "ab"))))
(assert (= (str.len x) 5))
(check-sat)
