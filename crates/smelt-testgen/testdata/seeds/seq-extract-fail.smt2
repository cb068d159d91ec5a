; expect: unsat
(declare-const s (Seq Int))
(assert (= (seq.len (seq.extract s 1 2)) 3))
(check-sat)
