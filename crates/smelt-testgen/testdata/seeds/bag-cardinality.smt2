; expect: sat
; model: (define-fun a () (Bag Int) (bag.union_disjoint (bag 1 2) (bag 2 3)))
(declare-const a (Bag Int))
(assert (= (bag.card a) 5))
(assert (= (bag.count 1 a) 2))
(check-sat)
