; expect: unsat
(declare-const x (_ BitVec 2))
(assert (forall ((y (_ BitVec 2))) (bvugt x y)))
(check-sat)
