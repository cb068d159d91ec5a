; expect: sat
; model: (define-fun x () String "ababab")
(declare-const x String)
(assert (str.in_re x (re.+ (str.to_re "ab"))))
(assert (= (str.len x) 6))
(check-sat)
