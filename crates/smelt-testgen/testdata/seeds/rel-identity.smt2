; expect: sat
; model: (define-fun p () (Relation Int) (set.singleton (tuple 4)))
(declare-const p (Relation Int))
(assert (= (rel.iden p) (set.singleton (tuple 4 4))))
(check-sat)
