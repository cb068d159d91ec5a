; expect: sat
; model: (define-fun i () Int 1)
; model: (define-fun a () (Array Int String) (store (store (store ((as const (Array Int String)) "!0!") 1 "a") 2 "") 0 "a"))
(declare-const a (Array Int String))
(declare-const i Int)
(assert (= (select a i) (str.++ (select a (+ i 1)) "a")))
(assert (= (str.len (select a i)) i))
(assert (not (= (store a 0 "b") a)))
(check-sat)
