; expect: sat
; model: (define-fun x () (_ FloatingPoint 5 11) (fp #b0 #b01110 #b1010001001))
; model: (define-fun r () RoundingMode roundNearestTiesToEven)
(declare-const r RoundingMode)
(declare-const x (_ FloatingPoint 5 11))
(assert (distinct (fp.roundToIntegral r x) (fp.roundToIntegral RTZ x)))
(assert (fp.isPositive x))
(assert (fp.lt x (fp #b0 #b01111 #b0000000000)))
(check-sat)
