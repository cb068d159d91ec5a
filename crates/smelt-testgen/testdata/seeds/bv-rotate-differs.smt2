; expect: sat
; model: (define-fun x () (_ BitVec 8) #x55)
(declare-const x (_ BitVec 8))
(assert (= ((_ rotate_left 1) x) ((_ rotate_right 1) x)))
(assert (distinct x #x00 #xff))
(check-sat)
