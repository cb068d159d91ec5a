; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(declare-const y (_ FloatingPoint 5 11))
(assert (fp.lt (fp.max x y) (fp.min x y)))
(check-sat)
