; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.* (re.++ re.allchar re.allchar))))
(assert (= (str.len x) 3))
(check-sat)
