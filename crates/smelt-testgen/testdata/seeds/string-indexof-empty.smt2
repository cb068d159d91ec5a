; expect: sat
; model: (define-fun n () Int 3)
; model: (define-fun x () String "ABC")
(declare-const x String)
(declare-const n Int)
(assert (= (str.indexof x "" n) n))
(assert (> n 2))
(assert (< (str.len x) 5))
(check-sat)
