; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(assert (fp.isInfinite x))
(assert (fp.isNaN (fp.add RNE x x)))
(check-sat)
