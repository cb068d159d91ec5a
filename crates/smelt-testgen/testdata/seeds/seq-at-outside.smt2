; expect: unsat
(declare-const s (Seq Int))
(declare-const i Int)
(assert (>= i (seq.len s)))
(assert (distinct (seq.at s i) (as seq.empty (Seq Int))))
(check-sat)
