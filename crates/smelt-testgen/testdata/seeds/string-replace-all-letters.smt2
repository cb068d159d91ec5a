; expect: sat
; model: (define-fun x () String "aba")
(declare-const x String)
(assert (= (str.replace_all x "a" "b") "bbb"))
(assert (str.contains x "ab"))
(check-sat)
