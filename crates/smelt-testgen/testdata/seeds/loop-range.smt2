; expect: sat
; model: (define-fun x () String "abc")
(declare-const x String)
(assert (str.in_re x ((_ re.loop 2 4) (re.range "a" "c"))))
(assert (not (str.in_re x (re.* (re.union (str.to_re "a") (str.to_re "b"))))))
(assert (str.prefixof "ab" x))
(check-sat)
