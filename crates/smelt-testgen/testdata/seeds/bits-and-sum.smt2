; expect: unsat
(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))
(assert (not (= (bvadd a b) (bvadd (bvxor a b) (bvshl (bvand a b) #x01)))))
(check-sat)
