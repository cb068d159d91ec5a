; expect: unsat
(declare-const s (Relation Int Int))
(declare-const x Int)
(assert (= s (set.singleton (tuple x 2))))
(assert (set.member (tuple 1 2) s))
(assert (< x 1))
(check-sat)
