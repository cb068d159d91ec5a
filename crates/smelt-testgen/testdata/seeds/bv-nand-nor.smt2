; expect: sat
; model: (define-fun x () (_ BitVec 8) #x01)
; model: (define-fun y () (_ BitVec 8) #x01)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvnand x y) (bvnor x y)))
(assert (distinct x #x00 #xff))
(check-sat)
