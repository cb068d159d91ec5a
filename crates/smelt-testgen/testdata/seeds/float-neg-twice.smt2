; expect: unsat
(declare-const x (_ FloatingPoint 5 11))
(assert (distinct (fp.neg (fp.neg x)) x))
(check-sat)
