; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 2)))
(declare-const s (Seq Int))
(assert (= (seq.rev s) (seq.++ (seq.unit 2) (seq.unit 1))))
(check-sat)
