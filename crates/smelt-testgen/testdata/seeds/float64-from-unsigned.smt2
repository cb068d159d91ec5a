; expect: unsat
(declare-const b (_ BitVec 8))
(assert (fp.eq ((_ to_fp_unsigned 11 53) RNE b) (fp.neg ((_ to_fp 11 53) RNE (bvnot b)))))
(check-sat)
