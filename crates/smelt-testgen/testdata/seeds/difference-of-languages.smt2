; expect: sat
; model: (define-fun x () String "4400")
(declare-const x String)
(assert (str.in_re x (re.diff (re.* (re.range "0" "9")) (re.++ (str.to_re "0") re.all))))
(assert (> (str.to_int x) 99))
(assert (str.suffixof "0" x))
(check-sat)
