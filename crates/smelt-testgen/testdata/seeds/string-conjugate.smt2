; expect: sat
; model: (define-fun x () String "b")
; model: (define-fun y () String "b")
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x "ab") (str.++ "ba" y)))
(assert (= (str.len x) 1))
(check-sat)
