; expect: sat
; model: (define-fun x () String "caac")
(declare-const x String)
(assert (= (str.replace (str.replace x "a" "b") "a" "b") "cbbc"))
(assert (str.contains x "aa"))
(check-sat)
