; expect: sat
; model: (define-fun x () String "007")
(declare-const x String)
(assert (= (str.to_int x) 7))
(assert (= (str.len x) 3))
(check-sat)
