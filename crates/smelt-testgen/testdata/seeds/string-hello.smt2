; expect: sat
; model: (define-fun x () String "hel")
; model: (define-fun y () String "o")
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x "l" y) "hello"))
(assert (= (str.len x) 3))
(check-sat)
