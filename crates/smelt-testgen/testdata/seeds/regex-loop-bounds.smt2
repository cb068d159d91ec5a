; expect: sat
; model: (define-fun x () String "abababab")
(declare-const x String)
(assert (str.in_re x ((_ re.loop 2 4) (str.to_re "ab"))))
(assert (= (str.len x) 8))
(check-sat)
