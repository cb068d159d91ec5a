; expect: unsat
(declare-const s (Seq Int))
(assert (= (seq.len s) 2))
(assert (seq.contains (seq.replace_all s (seq.unit 1) (seq.unit 3)) (seq.unit 1)))
(check-sat)
