; expect: unsat
(declare-const s (Seq Int))
(declare-const t (Seq Int))
(assert (seq.suffixof t s))
(assert (> (seq.len t) (seq.len s)))
(check-sat)
