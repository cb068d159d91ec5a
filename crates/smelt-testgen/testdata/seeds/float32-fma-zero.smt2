; expect: unsat
(declare-const x Float32)
(declare-const y Float32)
(assert (not (or (fp.isNaN y) (fp.isInfinite x) (fp.isNaN x))))
(assert (not (fp.eq (fp.fma RTP x (_ +zero 8 24) y) y)))
(check-sat)
