; expect: unsat
(declare-const a (Set Int))
(declare-const x Int)
(assert (set.member x a))
(assert (distinct (set.insert x a) a))
(check-sat)
