; expect: sat
; model: (define-fun i () Int 32285)
; model: (define-fun a () (Array Int String) (store ((as const (Array Int String)) "b") 32285 "bb"))
(declare-const a (Array Int String))
(declare-const i Int)
(assert (= (select a i) (str.++ (select a (+ i 1)) "b")))
(assert (= (str.len (select a i)) 2))
(check-sat)
