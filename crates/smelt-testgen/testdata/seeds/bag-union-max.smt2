; expect: sat
; model: (define-fun a () (Bag Int) (bag 1 2))
; model: (define-fun b () (Bag Int) (bag 1 3))
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (= (bag.count 1 (bag.union_max a b)) 3))
(assert (= (bag.count 1 a) 2))
(check-sat)
