; expect: unsat
(declare-heap (Int Int))
(declare-const x Int)
(declare-const y Int)
(declare-const u Int)
(assert (sep (pto x u) (pto y u)))
(assert (= x y))
(check-sat)
