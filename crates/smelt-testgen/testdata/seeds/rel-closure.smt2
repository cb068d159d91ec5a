; expect: sat
; model: (define-fun r () (Relation Int Int) (set.union (set.singleton (tuple 1 2)) (set.singleton (tuple 2 3))))
(declare-const r (Relation Int Int))
(assert (= r (set.union (set.singleton (tuple 1 2)) (set.singleton (tuple 2 3)))))
(assert (set.member (tuple 1 3) (rel.tclosure r)))
(check-sat)
