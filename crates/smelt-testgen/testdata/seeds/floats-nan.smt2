; expect: unsat
(declare-const x (_ FloatingPoint 3 5))
(declare-const y (_ FloatingPoint 3 5))
(assert (fp.leq x y))
(assert (or (fp.isNaN x) (fp.gt x y)))
(check-sat)
