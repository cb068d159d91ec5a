; expect: sat
; model: (define-fun x () String "cba")
(declare-const x String)
(assert (< (str.indexof x "b" 0) (str.indexof x "a" 0)))
(assert (str.contains x "ba"))
(assert (str.prefixof "c" x))
(check-sat)
