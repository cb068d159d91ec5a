; expect: sat
; model: (define-fun a () (Bag Int) (bag.union_disjoint (bag 1 3) (bag 2 1)))
; model: (define-fun b () (Bag Int) (bag 1 1))
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (= (bag.difference_remove a b) (bag 2 1)))
(assert (= (bag.count 1 a) 3))
(check-sat)
