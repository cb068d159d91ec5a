; expect: sat
; model: (define-fun x () Float64 (fp #b1 #b00000000000 #x0000000000001))
; model: (define-fun r () RoundingMode RTZ)
(declare-const x Float64)
(declare-const r RoundingMode)
(assert (fp.isSubnormal x))
(assert (fp.isZero (fp.mul r x ((_ to_fp 11 53) RNE 0.5))))
(assert (fp.isNegative x))
(check-sat)
