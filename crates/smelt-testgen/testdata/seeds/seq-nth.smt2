; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 8365) (seq.unit 8361)))
(declare-const s (Seq Int))
(assert (= (seq.len s) 2))
(assert (= (seq.nth s 0) (+ (seq.nth s 1) 4)))
(check-sat)
