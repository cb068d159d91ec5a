; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(declare-const y (_ FloatingPoint 5 11))
(declare-const z (_ FloatingPoint 5 11))
(assert (fp.lt x y))
(assert (fp.leq y z))
(assert (fp.geq x z))
(check-sat)
