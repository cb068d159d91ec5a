; expect: sat
; model: (define-fun x () String "aba")
; model: (define-fun y () String "b")
(declare-const x String)
(declare-const y String)
(assert (str.in_re (str.++ x y) (re.+ (str.to_re "ab"))))
(assert (not (str.in_re x (re.* (str.to_re "ab")))))
(assert (= (str.len x) 3))
(check-sat)
