; expect: sat
; model: (define-fun s () (Seq (Seq Int)) (seq.unit (seq.unit 1)))
(declare-const s (Seq (Seq Int)))
(assert (= (seq.nth s 0) (seq.unit 1)))
(assert (= (seq.len s) 1))
(check-sat)
