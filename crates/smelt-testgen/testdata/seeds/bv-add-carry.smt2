; expect: sat
; model: (define-fun x () (_ BitVec 8) #xfd)
; model: (define-fun y () (_ BitVec 8) #x05)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (bvult (bvadd x y) x))
(assert (bvult y #x10))
(check-sat)
