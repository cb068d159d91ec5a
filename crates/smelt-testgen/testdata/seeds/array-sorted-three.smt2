; expect: sat
; model: (define-fun a () (Array Int Int) (store (store ((as const (Array Int Int)) 21242) 1 2) 0 (- 21238)))
(declare-const a (Array Int Int))
(assert (< (select a 0) (select a 1) (select a 2)))
(assert (= (+ (select a 0) (select a 2)) 4))
(assert (= (select a 1) 2))
(check-sat)
