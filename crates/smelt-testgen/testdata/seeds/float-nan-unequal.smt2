; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(assert (fp.eq x x))
(assert (fp.isNaN x))
(check-sat)
