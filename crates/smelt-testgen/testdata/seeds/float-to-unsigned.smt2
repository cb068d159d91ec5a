; expect: sat
; model: (define-fun x () (_ FloatingPoint 3 4) (fp #b0 #b100 #b101))
(declare-const x (_ FloatingPoint 3 4))
(assert (= ((_ fp.to_ubv 4) RTZ x) #x3))
(assert (not (= x (fp #b0 #b100 #b100))))
(assert (fp.geq x (fp #b0 #b100 #b100)))
(assert (fp.lt x (fp #b0 #b101 #b000)))
(check-sat)
