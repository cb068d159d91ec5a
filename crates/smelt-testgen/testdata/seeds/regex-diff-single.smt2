; expect: sat
; model: (define-fun x () String "b")
(declare-const x String)
(assert (str.in_re x (re.diff (re.range "a" "c") (re.union (str.to_re "a") (str.to_re "c")))))
(check-sat)
