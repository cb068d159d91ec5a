; expect: sat
; model: (define-fun a () (Bag Int) (bag.union_disjoint (bag 5 2) (bag 6 1)))
(declare-const a (Bag Int))
(assert (= (bag.count 5 a) 2))
(assert (= (bag.count 6 a) 1))
(check-sat)
