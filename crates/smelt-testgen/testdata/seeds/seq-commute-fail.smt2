; expect: unsat
(declare-const s (Seq Int))
(assert (= (seq.++ s (seq.unit 1)) (seq.++ (seq.unit 2) s)))
(check-sat)
