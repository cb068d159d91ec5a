; expect: sat
; model: (define-fun x () String "ba")
(declare-const x String)
(assert (= (str.indexof x "ab" 0) (- 1)))
(assert (str.contains x "a"))
(assert (str.contains x "b"))
(check-sat)
