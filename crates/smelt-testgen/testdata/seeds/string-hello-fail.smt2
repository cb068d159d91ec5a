; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x "l" y) "hello"))
(assert (= (str.len y) 3))
(check-sat)
