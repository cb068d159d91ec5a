; expect: unsat
(declare-const s (Seq Int))
(assert (= s (seq.++ (seq.unit 1) (seq.unit 2))))
(assert (> (seq.nth s 0) (seq.nth s 1)))
(check-sat)
