; expect: sat
; model: (define-fun x () String "b")
; model: (define-fun y () String "a")
(declare-const x String)
(declare-const y String)
(assert (= (str.to_code x) (+ (str.to_code y) 1)))
(assert (= y "a"))
(check-sat)
