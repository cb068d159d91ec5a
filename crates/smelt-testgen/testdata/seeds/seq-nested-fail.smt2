; expect: unsat
(declare-const s (Seq (Seq Int)))
(declare-const t (Seq Int))
(assert (= s (seq.unit t)))
(assert (= (seq.nth s 0) (seq.unit 1)))
(assert (distinct (seq.len t) 1))
(check-sat)
