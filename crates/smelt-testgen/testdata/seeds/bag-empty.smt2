; expect: sat
; model: (define-fun a () (Bag Int) (as bag.empty (Bag Int)))
(declare-const a (Bag Int))
(assert (= a (as bag.empty (Bag Int))))
(assert (= (bag.count 3 a) 0))
(check-sat)
