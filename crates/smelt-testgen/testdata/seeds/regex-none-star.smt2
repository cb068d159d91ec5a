; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.* re.none)))
(assert (not (= x "")))
(check-sat)
