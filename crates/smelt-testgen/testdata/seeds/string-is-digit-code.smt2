; expect: sat
; model: (define-fun x () String "9")
(declare-const x String)
(assert (str.is_digit x))
(assert (> (str.to_code x) 56))
(check-sat)
