; expect: sat
; model: (define-fun y () (_ BitVec 8) #xaa)
; model: (define-fun x () (_ BitVec 8) #xaa)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvcomp x y) #b1))
(assert (= (bvadd x y) #x54))
(assert (bvuge x #x80))
(check-sat)
