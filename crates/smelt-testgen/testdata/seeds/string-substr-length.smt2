; expect: unsat
(declare-const x String)
(declare-const i Int)
(declare-const n Int)
(assert (> (str.len (str.substr x i n)) n))
(assert (>= n 0))
(check-sat)
