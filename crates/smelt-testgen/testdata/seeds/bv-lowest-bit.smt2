; expect: sat
; model: (define-fun x () (_ BitVec 8) #xb0)
(declare-const x (_ BitVec 8))
(assert (= (bvand x (bvneg x)) #x10))
(assert (bvugt x #x90))
(check-sat)
