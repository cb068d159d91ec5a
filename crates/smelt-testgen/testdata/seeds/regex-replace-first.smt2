; expect: sat
; model: (define-fun x () String "aac")
(declare-const x String)
(assert (= (str.replace_re x (re.+ (str.to_re "a")) "b") "bac"))
(assert (= (str.len x) 3))
(check-sat)
