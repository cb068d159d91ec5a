; expect: sat
; model: (define-fun x () (_ BitVec 8) #xab)
(declare-const x (_ BitVec 8))
(assert (= (bvmul x #x03) #x01))
(check-sat)
