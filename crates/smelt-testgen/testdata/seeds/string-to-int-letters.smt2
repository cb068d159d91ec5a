; expect: sat
; model: (define-fun x () String "4\u{a2}")
(declare-const x String)
(assert (= (str.to_int x) (- 1)))
(assert (= (str.len x) 2))
(assert (str.prefixof "4" x))
(check-sat)
