; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 11) (seq.unit 3)))
(declare-const s (Seq Int))
(assert (= (seq.indexof s (seq.unit 3) 0) 1))
(assert (= (seq.len s) 2))
(check-sat)
