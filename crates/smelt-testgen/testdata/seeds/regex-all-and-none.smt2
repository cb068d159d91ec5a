; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.inter re.all re.none)))
(check-sat)
