; expect: unsat
(declare-const x String)
(declare-const y String)
(assert (= x "ab"))
(assert (str.< y x))
(assert (str.<= x y))
(check-sat)
