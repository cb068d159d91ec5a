; expect: sat
; model: (define-fun r () (Relation Int Int) (set.singleton (tuple 1 2)))
(declare-const r (Relation Int Int))
(assert (set.member (tuple 2 1) (rel.transpose r)))
(assert (not (set.member (tuple 2 1) r)))
(check-sat)
