; expect: sat
; model: (define-fun a () (Bag Int) (bag 1 3))
; model: (define-fun b () (Bag Int) (bag 1 1))
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (= (bag.difference_subtract a b) (bag 1 2)))
(assert (= b (bag 1 1)))
(check-sat)
