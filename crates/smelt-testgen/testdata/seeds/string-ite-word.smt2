; expect: unsat
(declare-const x String)
(declare-const p Bool)
(assert (= x (ite p "yes" "no")))
(assert (= (str.len x) 2))
(assert p)
(check-sat)
