; expect: sat
; model: (define-fun x () String "989")
(declare-const x String)
(assert (str.in_re x ((_ re.^ 3) (re.range "0" "9"))))
(assert (> (str.to_int x) 987))
(assert (not (str.contains x "0")))
(check-sat)
