; expect: sat
; model: (define-fun x () String "a""b")
(declare-const x String)
(assert (= (str.++ x """") "a""b"""))
(assert (str.contains x """"))
(check-sat)
