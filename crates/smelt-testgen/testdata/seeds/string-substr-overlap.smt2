; expect: sat
; model: (define-fun x () String "aba")
(declare-const x String)
(assert (= (str.substr x 0 2) "ab"))
(assert (= (str.substr x 1 2) "ba"))
(check-sat)
