; expect: unsat
(declare-const x (Nullable Bool))
(declare-const y (Nullable Bool))
(declare-const z (Nullable Bool))
(declare-const w (Nullable Bool))
(assert (distinct x y z w))
(check-sat)
