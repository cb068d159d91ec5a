; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvxnor x y) #xff))
(assert (distinct x y))
(check-sat)
