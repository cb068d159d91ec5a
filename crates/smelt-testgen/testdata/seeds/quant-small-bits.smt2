; expect: sat
; model: (define-fun x () (_ BitVec 2) #b11)
(declare-const x (_ BitVec 2))
(assert (forall ((y (_ BitVec 2))) (bvuge x y)))
(check-sat)
