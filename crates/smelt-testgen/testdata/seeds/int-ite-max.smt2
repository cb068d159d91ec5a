; expect: unsat
(declare-const x Int)
(declare-const y Int)
(declare-const m Int)
(assert (= m (ite (> x y) x y)))
(assert (< m x))
(check-sat)
