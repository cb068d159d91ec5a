; expect: sat
; model: (define-fun y () (_ BitVec 8) #x40)
; model: (define-fun x () (_ BitVec 8) #xc0)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvadd x y) #x00))
(assert (bvugt x #x80))
(assert (bvugt y #x10))
(check-sat)
