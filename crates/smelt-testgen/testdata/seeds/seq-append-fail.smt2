; expect: unsat
(declare-const s (Seq Int))
(declare-const t (Seq Int))
(assert (= (seq.++ s t) (seq.++ (seq.unit 1) (seq.unit 2) (seq.unit 3))))
(assert (= (seq.len s) (seq.len t)))
(check-sat)
