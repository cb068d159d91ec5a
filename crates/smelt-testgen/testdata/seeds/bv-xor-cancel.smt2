; expect: sat
; model: (define-fun x () (_ BitVec 8) #xc3)
; model: (define-fun y () (_ BitVec 8) #x3c)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvxor x y x) #x3c))
(assert (= (bvand x y) #x00))
(assert (distinct x #x00))
(check-sat)
