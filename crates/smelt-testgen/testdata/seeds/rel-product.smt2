; expect: sat
; model: (define-fun p () (Relation Int) (set.singleton (tuple 1)))
; model: (define-fun q () (Relation Bool) (set.singleton (tuple true)))
(declare-const p (Relation Int))
(declare-const q (Relation Bool))
(assert (set.member (tuple 1 true) (rel.product p q)))
(assert (not (set.member (tuple false) q)))
(check-sat)
