; expect: unsat
(declare-const s (Seq Int))
(declare-const t (Seq Int))
(declare-const u (Seq Int))
(assert (seq.prefixof s t))
(assert (seq.prefixof t u))
(assert (not (seq.prefixof s u)))
(check-sat)
