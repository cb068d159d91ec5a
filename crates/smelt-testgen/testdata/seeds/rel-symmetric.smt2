; expect: sat
; model: (define-fun r () (Relation Int Int) (set.union (set.singleton (tuple 1 2)) (set.singleton (tuple 2 1))))
(declare-const r (Relation Int Int))
(assert (= r (rel.transpose r)))
(assert (set.member (tuple 1 2) r))
(check-sat)
