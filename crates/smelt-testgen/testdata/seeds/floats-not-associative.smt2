; expect: sat
(declare-const x (_ FloatingPoint 3 5))
(declare-const y (_ FloatingPoint 3 5))
(declare-const r RoundingMode)
(assert (not (fp.eq (fp.add r (fp.add r x y) x) (fp.add r x (fp.add r y x)))))
(assert (not (fp.isNaN (fp.mul RNE x y))))
(assert (fp.lt x y))
(check-sat)
