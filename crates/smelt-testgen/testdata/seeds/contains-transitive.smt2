; expect: unsat
(declare-const x String)
(declare-const y String)
(declare-const z String)
(assert (str.contains x y))
(assert (str.contains y z))
(assert (not (str.contains x z)))
(assert (< (str.len x) 4))
(check-sat)
