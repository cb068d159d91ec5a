; expect: sat
; model: (define-fun x () (_ BitVec 40) #x0000100001)
(declare-const x (_ BitVec 40))
(assert (= ((_ extract 39 20) x) ((_ extract 19 0) x)))
(assert (bvugt x #x0000100000))
(assert (bvult x #x0001000000))
(check-sat)
