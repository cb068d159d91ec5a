; expect: unsat
(declare-const x Int)
(declare-const n Int)
(assert (<= n 0))
(assert (bag.member x (bag x n)))
(check-sat)
