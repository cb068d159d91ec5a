; expect: unsat
(declare-const x (_ BitVec 8))
(assert (bvult (bvadd x #x01) x))
(assert (distinct x #xff))
(check-sat)
