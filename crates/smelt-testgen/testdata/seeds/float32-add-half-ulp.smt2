; expect: sat
; model: (define-fun x () Float32 (fp #b0 #x80 #b11111001000100010001111))
; model: (define-fun r () RoundingMode RNE)
(declare-const x Float32)
(declare-const r RoundingMode)
(assert (fp.gt (fp.add r x ((_ to_fp 8 24) RNE 1.0)) (fp.add RTZ x ((_ to_fp 8 24) RNE 1.0))))
(assert (fp.isPositive x))
(assert (fp.isNormal x))
(check-sat)
