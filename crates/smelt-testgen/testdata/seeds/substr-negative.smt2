; expect: unsat
(declare-const x String)
(declare-const i Int)
(assert (< i 0))
(assert (not (= (str.substr x i 3) "")))
(check-sat)
