; expect: unsat
(declare-fun k ((_ BitVec 4)) (_ BitVec 4))
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (= (k x) (bvnot (k y))))
(assert (= (bvxor x y) #x0))
(check-sat)
