; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 1)))
(declare-const s (Seq Int))
(assert (= (seq.++ s (seq.unit 1)) (seq.++ (seq.unit 1) s)))
(assert (= (seq.len s) 2))
(check-sat)
