; expect: sat
; model: (define-fun x () (_ FloatingPoint 5 11) (fp #b0 #b01111 #b0110001001))
(declare-const x (_ FloatingPoint 5 11))
(assert (= (fp.roundToIntegral RTP x) (fp #b0 #b10000 #b0000000000)))
(assert (distinct x (fp #b0 #b10000 #b0000000000)))
(check-sat)
