; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.diff (str.to_re "ab") (re.++ (re.range "a" "z") re.all))))
(check-sat)
