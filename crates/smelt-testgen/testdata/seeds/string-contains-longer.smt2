; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (str.contains x y))
(assert (< (str.len x) (str.len y)))
(check-sat)
