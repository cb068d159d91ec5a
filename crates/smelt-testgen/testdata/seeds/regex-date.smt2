; expect: sat
; model: (define-fun x () String "31.40")
(declare-const x String)
(assert (str.in_re x (re.++ ((_ re.loop 1 2) (re.range "0" "9")) (str.to_re ".") ((_ re.loop 1 2) (re.range "0" "9")))))
(assert (= (str.len x) 5))
(assert (= (str.to_int (str.substr x 0 2)) 31))
(check-sat)
