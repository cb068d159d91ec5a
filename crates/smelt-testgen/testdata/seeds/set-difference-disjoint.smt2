; expect: unsat
(declare-const a (Set Int))
(declare-const b (Set Int))
(declare-const x Int)
(assert (set.member x (set.minus a b)))
(assert (set.member x b))
(check-sat)
