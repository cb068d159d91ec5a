; expect: unsat
(declare-const s (Seq Int))
(declare-const t (Seq Int))
(declare-const i Int)
(assert (distinct (seq.len (seq.update s i t)) (seq.len s)))
(check-sat)
