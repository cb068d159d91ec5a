; expect: unsat
(declare-const x Float32)
(assert (not (fp.isNaN x)))
(assert (not (= x ((_ to_fp 8 24) RTP ((_ to_fp 11 53) RTN x)))))
(check-sat)
