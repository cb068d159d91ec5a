; expect: sat
; model: (define-fun a () (Bag Int) (bag 7 4))
(declare-const a (Bag Int))
(assert (= (bag.setof a) (bag 7 1)))
(assert (= (bag.count 7 a) 4))
(check-sat)
