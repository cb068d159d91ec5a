; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(assert (fp.isNegative (fp.abs x)))
(check-sat)
