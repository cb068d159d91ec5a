; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.inter (re.comp (re.++ re.all (str.to_re "a") re.all)) (re.++ re.allchar re.all))))
(assert (str.contains x "a"))
(check-sat)
