; expect: sat
; model: (define-fun a () (Bag Int) (bag 1 2))
; model: (define-fun b () (Bag Int) (bag.union_disjoint (bag 1 1) (bag 2 1)))
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (= (bag.inter_min a b) (bag 1 1)))
(assert (= (bag.count 2 b) 1))
(assert (= (bag.count 1 a) 2))
(check-sat)
