; expect: unsat
(declare-const x String)
(assert (str.in_re x (re.comp (re.++ re.all (str.to_re "a") re.all))))
(assert (str.contains x "a"))
(check-sat)
