; expect: sat
; model: (define-fun x () (_ BitVec 8) #xbf)
; model: (define-fun y () (_ BitVec 8) #x02)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (bvslt x y))
(assert (bvugt x y))
(assert (bvslt y #x10))
(check-sat)
