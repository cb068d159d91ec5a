; expect: sat
; model: (define-fun s () (Set (Tuple Int Bool)) (set.singleton (tuple 3 true)))
(declare-const s (Set (Tuple Int Bool)))
(assert (set.member (tuple 3 true) s))
(assert (not (set.member (tuple 3 false) s)))
(check-sat)
