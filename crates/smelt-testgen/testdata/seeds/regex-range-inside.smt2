; expect: sat
; model: (define-fun x () String "d")
(declare-const x String)
(assert (str.in_re x (re.range "b" "d")))
(assert (str.< "c" x))
(check-sat)
