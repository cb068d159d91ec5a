; expect: unsat
(declare-const n Int)
(assert (> n 196607))
(assert (distinct (str.from_code n) ""))
(check-sat)
