; expect: sat
; model: (define-fun x () String "AbA")
(declare-const x String)
(assert (= (str.at x 0) (str.at x (- (str.len x) 1))))
(assert (= (str.len x) 3))
(assert (= (str.at x 1) "b"))
(assert (not (= (str.at x 0) "b")))
(check-sat)
