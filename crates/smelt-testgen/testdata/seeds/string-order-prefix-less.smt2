; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (str.prefixof x y))
(assert (str.< y x))
(check-sat)
