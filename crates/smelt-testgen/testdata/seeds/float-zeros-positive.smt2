; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(declare-const y (_ FloatingPoint 5 11))
(assert (fp.eq x y))
(assert (distinct x y))
(assert (fp.isPositive x))
(assert (fp.isPositive y))
(check-sat)
