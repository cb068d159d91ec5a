; expect: sat
; model: (define-fun a () (Set Int) (set.union (set.singleton 1) (set.union (set.singleton 2) (set.singleton 3))))
; model: (define-fun x () Int 3)
(declare-const a (Set Int))
(declare-const x Int)
(assert (= a (set.insert x 1 2 (as set.empty (Set Int)))))
(assert (> x 2))
(assert (set.member 3 a))
(check-sat)
