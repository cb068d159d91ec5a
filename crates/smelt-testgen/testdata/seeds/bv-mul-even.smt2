; expect: unsat
(declare-const x (_ BitVec 8))
(assert (= (bvmul x #x06) #x01))
(check-sat)
