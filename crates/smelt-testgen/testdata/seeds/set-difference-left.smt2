; expect: sat
; model: (define-fun a () (Set Int) (set.union (set.singleton 1) (set.singleton 2)))
; model: (define-fun b () (Set Int) (set.union (set.singleton 2) (set.singleton 3)))
(declare-const a (Set Int))
(declare-const b (Set Int))
(assert (= (set.minus a b) (set.singleton 1)))
(assert (set.member 2 a))
(assert (set.member 3 b))
(check-sat)
