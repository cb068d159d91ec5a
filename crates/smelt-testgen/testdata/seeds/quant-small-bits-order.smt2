; expect: sat
; model: (define-fun z () (_ BitVec 2) #b11)
; model: (define-fun x () (_ BitVec 2) #b00)
(declare-const x (_ BitVec 2))
(declare-const z (_ BitVec 2))
(assert (exists ((y (_ BitVec 2))) (and (bvult x y) (bvult y z))))
(assert (forall ((y (_ BitVec 2))) (=> (bvult y z) (bvule y #b10))))
(check-sat)
