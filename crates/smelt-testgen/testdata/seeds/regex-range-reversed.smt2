; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.range "z" "a")))
(check-sat)
