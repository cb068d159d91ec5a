; expect: sat
; model: (define-fun x () String "abbab")
(declare-const x String)
(assert (= (str.replace_all x "ab" "c") "cbc"))
(assert (= (str.len x) 5))
(check-sat)
