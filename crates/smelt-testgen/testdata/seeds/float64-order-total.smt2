; expect: unsat
(declare-const x Float64)
(declare-const y Float64)
(assert (not (fp.lt x y)))
(assert (not (fp.geq x y)))
(assert (not (fp.isNaN x)))
(assert (not (fp.isNaN y)))
(check-sat)
