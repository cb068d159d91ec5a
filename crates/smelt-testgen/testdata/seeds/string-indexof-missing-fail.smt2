; expect: unsat
(declare-const x String)
(assert (= (str.indexof x "a" 0) (- 1)))
(assert (str.contains x "a"))
(check-sat)
