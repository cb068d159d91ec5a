; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 5) (seq.unit 7) (seq.unit 8) (seq.unit 15)))
(declare-const s (Seq Int))
(assert (= (seq.extract s 1 2) (seq.++ (seq.unit 7) (seq.unit 8))))
(assert (= (seq.len s) 4))
(check-sat)
