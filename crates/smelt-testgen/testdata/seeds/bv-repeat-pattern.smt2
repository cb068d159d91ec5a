; expect: sat
; model: (define-fun x () (_ BitVec 4) #x6)
; model: (define-fun y () (_ BitVec 12) #x666)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 12))
(assert (= y ((_ repeat 3) x)))
(assert (= ((_ extract 5 2) y) #x9))
(check-sat)
