; expect: sat
; model: (define-fun y () (_ BitVec 4) #x7)
; model: (define-fun x () (_ BitVec 4) #xd)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (distinct (bvsmod x y) (bvsrem x y)))
(assert (bvsgt y #x2))
(check-sat)
