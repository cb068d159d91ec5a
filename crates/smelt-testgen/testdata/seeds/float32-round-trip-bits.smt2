; expect: unsat
(declare-const b (_ BitVec 32))
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) b)))
(assert (fp.isNegative x))
(assert (= ((_ extract 31 31) b) #b0))
(check-sat)
