; expect: sat
; model: (define-fun x () (_ BitVec 8) #x88)
(declare-const x (_ BitVec 8))
(assert (= (bvashr x #x07) #xff))
(assert (bvult x #x90))
(assert (distinct x #x80))
(check-sat)
