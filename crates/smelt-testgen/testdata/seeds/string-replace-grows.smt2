; expect: sat
; model: (define-fun x () String "abb")
(declare-const x String)
(assert (= (str.replace x "a" "bb") "bbbb"))
(assert (= (str.len x) 3))
(check-sat)
