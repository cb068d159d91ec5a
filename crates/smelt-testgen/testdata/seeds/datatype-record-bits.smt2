; expect: sat
; model: (define-fun r () Rec (rec false #x2f))
(declare-datatypes ((Rec 0)) (((rec (flag Bool) (bits (_ BitVec 8))))))
(declare-const r Rec)
(assert (= (flag r) (bvult (bits r) #x10)))
(assert (not (flag r)))
(assert (= (bvand (bits r) #x0f) #x0f))
(check-sat)
