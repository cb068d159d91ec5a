; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (= (str.replace x y "") x))
(assert (str.contains x y))
(assert (> (str.len y) 0))
(check-sat)
