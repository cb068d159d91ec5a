; expect: unsat
(declare-const x String)
(declare-const y String)
(declare-const z String)
(assert (str.prefixof x z))
(assert (str.prefixof y z))
(assert (not (str.prefixof x y)))
(assert (not (str.prefixof y x)))
(check-sat)
