; expect: sat
; model: (define-fun a () (Set Int) (set.union (set.singleton 4) (set.singleton 7)))
(declare-const a (Set Int))
(assert (= (set.card a) 2))
(assert (set.member 4 a))
(assert (set.member 7 a))
(check-sat)
