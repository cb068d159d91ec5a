; expect: unsat
(declare-const x Float32)
(declare-const r RoundingMode)
(assert (not (= (fp.roundToIntegral RNA (fp.roundToIntegral r x)) (fp.roundToIntegral r x))))
(check-sat)
