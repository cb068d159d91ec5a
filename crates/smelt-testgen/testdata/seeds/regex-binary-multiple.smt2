; expect: sat
; model: (define-fun x () String "1111")
(declare-const x String)
(assert (str.in_re x (re.+ (re.union (str.to_re "0") (re.++ (str.to_re "1") (re.* (str.to_re "0")) (str.to_re "1"))))))
(assert (= (str.len x) 4))
(assert (str.prefixof "1" x))
(check-sat)
