; expect: unsat
(declare-const x String)
(declare-const y String)
(declare-const z String)
(assert (= (str.++ x y z) "abcabd"))
(assert (= x z))
(assert (> (str.len x) 1))
(check-sat)
