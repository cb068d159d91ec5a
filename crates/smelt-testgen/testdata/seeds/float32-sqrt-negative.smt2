; expect: unsat
(declare-const x Float32)
(assert (fp.lt x (_ -zero 8 24)))
(assert (not (fp.isNaN (fp.sqrt RNE x))))
(check-sat)
