; expect: sat
; model: (define-fun x () (_ BitVec 4) #x8)
; model: (define-fun y () (_ BitVec 4) #xf)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (= (bvsdiv x y) x))
(assert (= y #xf))
(assert (distinct x #x0))
(check-sat)
