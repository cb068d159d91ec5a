; expect: sat
; model: (define-fun x () (_ BitVec 16) #x0800)
(declare-const x (_ BitVec 16))
(assert (= (bvand x (bvsub x #x0001)) #x0000))
(assert (bvugt x #x0100))
(assert (bvult x #x1000))
(check-sat)
