; expect: unsat
(declare-const x String)
(declare-const n Int)
(assert (= (str.indexof x "" n) n))
(assert (> n (str.len x)))
(check-sat)
