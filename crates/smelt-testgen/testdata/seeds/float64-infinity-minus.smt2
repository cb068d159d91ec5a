; expect: unsat
(declare-const x Float64)
(assert (fp.isInfinite x))
(assert (not (fp.isNaN (fp.sub RNE x x))))
(check-sat)
