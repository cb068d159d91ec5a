; expect: sat
; model: (define-fun x () String "bb")
(declare-const x String)
(assert (str.in_re x (re.comp (re.++ re.all (str.to_re "a") re.all))))
(assert (= (str.len x) 2))
(assert (str.in_re x (re.* (re.range "a" "b"))))
(check-sat)
