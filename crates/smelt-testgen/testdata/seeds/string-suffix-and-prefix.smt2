; expect: sat
; model: (define-fun x () String "aba")
(declare-const x String)
(assert (str.prefixof "ab" x))
(assert (str.suffixof "ba" x))
(assert (= (str.len x) 3))
(check-sat)
