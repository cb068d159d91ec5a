; expect: sat
; model: (define-fun x () Float64 (fp #b0 #b10001111111 #xf848a24000019))
(declare-const x Float64)
(assert (not (fp.isInfinite x)))
(assert (fp.isInfinite ((_ to_fp 8 24) RNE x)))
(assert (not (fp.isInfinite ((_ to_fp 8 24) RTZ x))))
(check-sat)
