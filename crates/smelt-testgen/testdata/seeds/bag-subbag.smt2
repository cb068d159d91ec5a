; expect: sat
; model: (define-fun a () (Bag Int) (bag 1 1))
; model: (define-fun b () (Bag Int) (bag 1 2))
(declare-const a (Bag Int))
(declare-const b (Bag Int))
(assert (bag.subbag a b))
(assert (distinct a b))
(assert (bag.member 1 a))
(check-sat)
