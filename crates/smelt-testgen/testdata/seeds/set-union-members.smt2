; expect: sat
; model: (define-fun a () (Set Int) (set.singleton 1))
; model: (define-fun b () (Set Int) (set.union (set.singleton 2) (set.singleton 3)))
(declare-const a (Set Int))
(declare-const b (Set Int))
(assert (= (set.union a b) (set.insert 1 2 (set.singleton 3))))
(assert (= (set.inter a b) (as set.empty (Set Int))))
(assert (not (set.is_empty a)))
(check-sat)
