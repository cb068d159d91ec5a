; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x "ab" y) (str.++ "aab" x)))
(assert (> (str.len y) 1))
(check-sat)
