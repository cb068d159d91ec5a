; expect: sat
; model: (define-fun a () (Array Int (Array Int Int)) ((as const (Array Int (Array Int Int))) ((as const (Array Int Int)) 5)))
; model: (define-fun i () Int 0)
(declare-const a (Array Int (Array Int Int)))
(declare-const i Int)
(assert (= (select (select a i) 1) 5))
(assert (= (select (select (store a i (store (select a i) 1 6)) i) 1) 6))
(check-sat)
