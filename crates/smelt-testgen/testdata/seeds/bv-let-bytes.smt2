; expect: sat
; model: (define-fun x () (_ BitVec 16) #xff81)
(declare-const x (_ BitVec 16))
(assert (let ((h ((_ extract 15 8) x)) (l ((_ extract 7 0) x))) (and (= (bvadd h l) #x80) (bvugt h l) (bvugt l #x3c))))
(check-sat)
