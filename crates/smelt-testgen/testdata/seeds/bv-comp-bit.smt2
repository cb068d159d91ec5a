; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvcomp x y) #b1))
(assert (= (bvadd x y) #x55))
(check-sat)
