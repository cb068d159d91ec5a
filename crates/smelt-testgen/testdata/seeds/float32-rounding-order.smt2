; expect: unsat
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.gt (fp.add RTN x y) (fp.add RTP x y)))
(check-sat)
