; expect: sat
; model: (define-fun x () String "a`")
(declare-const x String)
(assert (str.< "a" x))
(assert (str.< x "b"))
(assert (= (str.len x) 2))
(check-sat)
