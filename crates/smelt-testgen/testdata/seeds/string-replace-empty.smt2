; expect: sat
; model: (define-fun x () String "b")
; model: (define-fun y () String "a")
(declare-const x String)
(declare-const y String)
(assert (= (str.replace x "" y) "ab"))
(assert (not (= x "")))
(assert (not (= y "")))
(check-sat)
