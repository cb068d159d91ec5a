; expect: unsat
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const m (_ BitVec 8))
(assert (= m (bvadd (bvand x y) (bvlshr (bvxor x y) #x01))))
(assert (bvult m x))
(assert (bvult m y))
(check-sat)
