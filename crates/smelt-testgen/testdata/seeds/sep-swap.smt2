; expect: unsat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const u Int)
(declare-const v Int)
(assert (sep (pto x u) (pto y v)))
(assert (not (sep (pto y v) (pto x u))))
(check-sat)
