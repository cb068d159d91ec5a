; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (str.contains x y))
(assert (str.contains y x))
(assert (not (= x y)))
(check-sat)
