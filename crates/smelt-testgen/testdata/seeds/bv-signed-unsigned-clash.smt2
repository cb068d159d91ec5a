; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (bvslt x y))
(assert (bvugt x y))
(assert (bvsge x #x00))
(check-sat)
