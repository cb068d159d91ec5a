; expect: unsat
(declare-fun h (String) Int)
(declare-const x String)
(declare-const y String)
(assert (= (h x) 1))
(assert (= (h y) 2))
(assert (= (str.++ x "a") (str.++ y "a")))
(check-sat)
