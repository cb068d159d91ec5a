; expect: sat
; model: (define-fun a () (Bag Int) (bag 1 2))
; model: (define-fun b () (Bag Int) (bag 1 3))
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (= (bag.union_disjoint a b) (bag 1 5)))
(assert (= (bag.count 1 a) 2))
(check-sat)
