; expect: unsat
(declare-const x Float32)
(assert (= x (fp #b0 #x7f #b10000000000000000000000)))
(assert (not (= (fp.to_real x) 1.5)))
(check-sat)
