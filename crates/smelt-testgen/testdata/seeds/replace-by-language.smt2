; expect: sat
; model: (define-fun x () String "aab")
(declare-const x String)
(assert (= (str.replace_re x (re.+ (str.to_re "a")) "b") "bab"))
(assert (= (str.replace_re_all x (str.to_re "a") "") "b"))
(assert (< (str.len x) 4))
(check-sat)
