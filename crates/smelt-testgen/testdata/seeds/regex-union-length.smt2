; expect: sat
; model: (define-fun x () String "bbbc")
(declare-const x String)
(assert (str.in_re x (re.union (str.to_re "aaa") (re.++ (re.* (str.to_re "b")) (str.to_re "c")))))
(assert (= (str.len x) 4))
(check-sat)
