; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 2) (seq.unit 3)))
(declare-const s (Seq Int))
(assert (= (seq.update s 1 (seq.unit 9)) (seq.++ (seq.unit 1) (seq.unit 9) (seq.unit 3))))
(assert (= (seq.nth s 1) 2))
(check-sat)
