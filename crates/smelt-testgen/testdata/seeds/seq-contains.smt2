; expect: sat
; model: (define-fun s () (Seq Int) (seq.++ (seq.unit 3) (seq.unit 5)))
(declare-const s (Seq Int))
(assert (seq.contains s (seq.unit 5)))
(assert (= (seq.len s) 2))
(assert (not (seq.prefixof (seq.unit 5) s)))
(check-sat)
