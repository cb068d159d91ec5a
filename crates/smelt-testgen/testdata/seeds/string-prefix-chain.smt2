; expect: unsat
(declare-const x String)
(declare-const y String)
(declare-const z String)
(assert (str.prefixof x y))
(assert (str.prefixof y z))
(assert (not (str.prefixof x z)))
(check-sat)
