; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 2) (seq.unit 1)))
(declare-const s (Seq Int))
(assert (= (seq.replace_all s (seq.unit 1) (seq.unit 3)) (seq.++ (seq.unit 3) (seq.unit 2) (seq.unit 3))))
(assert (= (seq.nth s 0) 1))
(check-sat)
