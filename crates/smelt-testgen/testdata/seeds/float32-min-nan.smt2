; expect: unsat
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.isNaN (fp.min x y)))
(assert (or (not (fp.isNaN x)) (not (fp.isNaN y))))
(check-sat)
