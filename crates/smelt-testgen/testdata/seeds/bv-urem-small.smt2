; expect: sat
; model: (define-fun x () (_ BitVec 8) #xfa)
; model: (define-fun y () (_ BitVec 8) #x09)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvurem x y) #x07))
(assert (= y #x09))
(assert (bvugt x #x50))
(check-sat)
