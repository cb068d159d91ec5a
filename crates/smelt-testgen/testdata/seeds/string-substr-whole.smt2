; expect: sat
; model: (define-fun x () String "Abc")
; model: (define-fun n () Int 7)
(declare-const x String)
(declare-const n Int)
(assert (= (str.substr x 1 n) "bc"))
(assert (= n 7))
(check-sat)
