; expect: sat
; model: (define-fun x () String "0xf00")
(declare-const x String)
(assert (str.in_re x (re.++ (str.to_re "0x") (re.+ (re.union (re.range "0" "9") (re.range "a" "f"))))))
(assert (= (str.len x) 5))
(assert (str.contains x "f"))
(check-sat)
