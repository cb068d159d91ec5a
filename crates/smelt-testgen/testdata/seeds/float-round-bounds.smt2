; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(assert (fp.gt (fp.roundToIntegral RTN x) x))
(check-sat)
