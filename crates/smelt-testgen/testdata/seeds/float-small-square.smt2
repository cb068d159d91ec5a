; expect: unsat
(declare-const x (_ FloatingPoint 3 4))
(assert (= (fp.mul RTZ x x) (fp #b0 #b100 #b000)))
(assert (fp.isNegative x))
(check-sat)
