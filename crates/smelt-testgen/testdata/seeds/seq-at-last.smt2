; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 4) (seq.unit 5)))
(declare-const s (Seq Int))
(assert (= (seq.at s (- (seq.len s) 1)) (seq.unit 5)))
(assert (= (seq.len s) 2))
(assert (= (seq.nth s 0) 4))
(check-sat)
