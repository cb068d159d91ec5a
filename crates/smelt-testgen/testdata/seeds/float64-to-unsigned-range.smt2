; expect: unsat
(declare-const x Float64)
(assert (fp.geq x ((_ to_fp 11 53) RNE 3.0)))
(assert (fp.leq x ((_ to_fp 11 53) RNE 9.5)))
(assert (bvult ((_ fp.to_ubv 8) RTZ x) #x03))
(check-sat)
