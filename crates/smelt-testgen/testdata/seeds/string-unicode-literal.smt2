; expect: sat
; model: (define-fun x () String "caf")
(declare-const x String)
(assert (= (str.++ x "\u{e9}") "caf\u{e9}"))
(assert (= (str.len x) 3))
(check-sat)
