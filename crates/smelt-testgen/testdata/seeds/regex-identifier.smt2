; expect: sat
; model: (define-fun x () String "a_10")
(declare-const x String)
(assert (str.in_re x (re.++ (re.range "a" "z") (re.* (re.union (re.range "a" "z") (re.range "0" "9") (str.to_re "_"))))))
(assert (str.contains x "_1"))
(assert (= (str.len x) 4))
(check-sat)
