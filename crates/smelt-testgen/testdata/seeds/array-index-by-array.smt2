; expect: sat
; model: (define-fun a () (Array Int Int) (store ((as const (Array Int Int)) 1) 1 2))
; model: (define-fun i () Int 1)
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (= (select a (select a i)) i))
(assert (distinct (select a i) i))
(assert (> i 0))
(check-sat)
