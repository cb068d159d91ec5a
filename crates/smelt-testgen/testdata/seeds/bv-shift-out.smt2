; expect: sat
; model: (define-fun x () (_ BitVec 8) #x5a)
(declare-const x (_ BitVec 8))
(assert (= (bvshl x #x04) #xa0))
(assert (= ((_ extract 7 4) x) #x5))
(check-sat)
