; expect: sat
; model: (define-fun x () String "aAa")
(declare-const x String)
(assert (= (str.len (str.replace_all x "a" "bcd")) 7))
(assert (= (str.len x) 3))
(check-sat)
