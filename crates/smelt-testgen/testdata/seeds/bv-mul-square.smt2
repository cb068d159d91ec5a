; expect: sat
; model: (define-fun x () (_ BitVec 8) #x17)
(declare-const x (_ BitVec 8))
(assert (= (bvmul x x) #x11))
(assert (bvult x #x40))
(check-sat)
