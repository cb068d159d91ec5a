; expect: unsat
(declare-const a (Set String))
(declare-const x String)
(assert (set.member x a))
(assert (= a (as set.empty (Set String))))
(check-sat)
