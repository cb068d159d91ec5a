; expect: unsat
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) RNE 5.0)))
(assert (not (fp.eq (fp.rem x ((_ to_fp 8 24) RNE 3.0)) ((_ to_fp 8 24) RNE (- 1.0)))))
(check-sat)
