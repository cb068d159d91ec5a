; expect: sat
; model: (define-fun x () String "a")
; model: (define-fun a () (Array String Int) (store ((as const (Array String Int)) 2) "a" 1))
(declare-const a (Array String Int))
(declare-const x String)
(assert (= (select a x) 1))
(assert (= (select a (str.++ x "a")) 2))
(assert (= (str.len x) 1))
(check-sat)
