; expect: unsat
(declare-const a (Set (Set Int)))
(declare-const x Int)
(assert (= a (set.singleton (set.singleton x))))
(assert (set.member (set.singleton 1) a))
(assert (distinct x 1))
(check-sat)
