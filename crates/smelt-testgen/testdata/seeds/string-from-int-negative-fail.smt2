; expect: unsat
(declare-const n Int)
(assert (= (str.from_int n) "-1"))
(check-sat)
