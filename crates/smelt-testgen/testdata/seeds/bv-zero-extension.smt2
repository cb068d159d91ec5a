; expect: sat
; model: (define-fun x () (_ BitVec 4) #xd)
; model: (define-fun y () (_ BitVec 8) #x0d)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 8))
(assert (= y ((_ zero_extend 4) x)))
(assert (bvuge y #x0c))
(assert (= ((_ extract 0 0) y) #b1))
(check-sat)
