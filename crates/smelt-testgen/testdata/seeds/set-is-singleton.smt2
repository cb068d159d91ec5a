; expect: unsat
(declare-const a (Set Int))
(declare-const x Int)
(declare-const y Int)
(assert (set.is_singleton a))
(assert (set.member x a))
(assert (set.member y a))
(assert (distinct x y))
(check-sat)
