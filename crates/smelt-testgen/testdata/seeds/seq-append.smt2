; expect: sat
; model: (define-fun t () (Seq Int) (seq.++ (seq.unit 2) (seq.unit 3)))
; model: (define-fun s () (Seq Int) (seq.unit 1))
(declare-const s (Seq Int))
(declare-const t (Seq Int))
(assert (= (seq.++ s t) (seq.++ (seq.unit 1) (seq.unit 2) (seq.unit 3))))
(assert (= (seq.len s) 1))
(check-sat)
