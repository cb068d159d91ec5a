; expect: sat
; model: (define-fun x () Float32 (fp #b0 #x7b #b10011001100110011001101))
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) RTP 0.1)))
(assert (not (= x ((_ to_fp 8 24) RTN 0.1))))
(assert (fp.isNormal x))
(check-sat)
