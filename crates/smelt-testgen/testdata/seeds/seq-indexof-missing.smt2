; expect: unsat
(declare-const s (Seq Int))
(assert (not (seq.contains s (seq.unit 3))))
(assert (distinct (seq.indexof s (seq.unit 3) 0) (- 1)))
(check-sat)
