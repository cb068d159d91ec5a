; expect: unsat
(declare-const s (Seq Int))
(assert (= (seq.len s) 2))
(assert (distinct (seq.rev (seq.rev s)) s))
(check-sat)
