; expect: unsat
(declare-const x String)
(declare-const i Int)
(assert (> i (str.len x)))
(assert (>= (str.indexof x "" i) 0))
(check-sat)
