; expect: unsat
(declare-const s (Seq Int))
(assert (seq.contains s (seq.unit 5)))
(assert (= (seq.len s) 1))
(assert (not (= (seq.nth s 0) 5)))
(check-sat)
