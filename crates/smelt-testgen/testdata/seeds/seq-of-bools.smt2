; expect: sat
; model: (define-fun s () (Seq Bool) (seq.++ (seq.unit false) (seq.unit true)))
(declare-const s (Seq Bool))
(assert (= (seq.len s) 2))
(assert (= (seq.nth s 0) (not (seq.nth s 1))))
(assert (seq.nth s 1))
(check-sat)
