; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x x) (str.++ y "a" y)))
(assert (< (str.len y) 5))
(check-sat)
