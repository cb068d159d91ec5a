; expect: unsat
(declare-const b (_ BitVec 16))
(assert (not (= ((_ fp.to_sbv 16) RTZ ((_ to_fp 8 24) RNE b)) b)))
(check-sat)
