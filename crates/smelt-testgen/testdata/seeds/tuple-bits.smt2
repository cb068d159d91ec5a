; expect: sat
; model: (define-fun t () (Tuple (_ BitVec 4) (_ BitVec 4)) (tuple #x3 #xc))
(declare-const t (Tuple (_ BitVec 4) (_ BitVec 4)))
(assert (= (bvadd ((_ tuple.select 0) t) ((_ tuple.select 1) t)) #xf))
(assert (= ((_ tuple.select 0) t) #x3))
(check-sat)
