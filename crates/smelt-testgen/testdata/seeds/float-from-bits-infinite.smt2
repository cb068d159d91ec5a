; expect: unsat
(declare-const b (_ BitVec 16))
(assert (fp.isInfinite ((_ to_fp 5 11) b)))
(assert (distinct ((_ extract 9 0) b) #b0000000000))
(check-sat)
