; expect: sat
; model: (define-fun x () String "aaaaaa")
(declare-const x String)
(assert (str.in_re x (re.inter (re.* (str.to_re "aa")) (re.+ (str.to_re "aaa")))))
(assert (< (str.len x) 8))
(check-sat)
