; expect: sat
; model: (define-fun s () (Seq String) (seq.unit "Aa"))
; model: (define-fun x () String "A")
(declare-const s (Seq String))
(declare-const x String)
(assert (= (seq.nth s 0) (str.++ x "a")))
(assert (= (seq.len s) 1))
(assert (= (str.len x) 1))
(check-sat)
