; expect: unsat
(declare-const x (_ BitVec 8))
(assert (= (bvmul x x) #x03))
(check-sat)
