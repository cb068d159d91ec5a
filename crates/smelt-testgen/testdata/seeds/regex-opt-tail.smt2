; expect: sat
; model: (define-fun x () String "abc")
(declare-const x String)
(assert (str.in_re x (re.++ (str.to_re "a") (re.opt (str.to_re "bc")))))
(assert (distinct x "a"))
(check-sat)
