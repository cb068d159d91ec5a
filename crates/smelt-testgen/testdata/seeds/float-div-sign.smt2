; expect: unsat
(declare-const x (_ FloatingPoint 3 4))
(declare-const y (_ FloatingPoint 3 4))
(assert (fp.isNegative (fp.div RNE x y)))
(assert (fp.isPositive x))
(assert (fp.isPositive y))
(check-sat)
