; expect: unsat
(declare-const n Int)
(assert (> n 200000))
(assert (= (str.len (str.from_code n)) 1))
(check-sat)
