; expect: sat
; model: (define-fun x () String "ABbb")
(declare-const x String)
(assert (= (str.indexof x "b" 0) 2))
(assert (= (str.len x) 4))
(assert (str.suffixof "b" x))
(check-sat)
