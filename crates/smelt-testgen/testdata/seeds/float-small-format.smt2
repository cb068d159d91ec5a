; expect: sat
; model: (define-fun x () (_ FloatingPoint 3 4) (fp #b0 #b110 #b000))
; model: (define-fun y () (_ FloatingPoint 3 4) (fp #b0 #b000 #b100))
(declare-const x (_ FloatingPoint 3 4))
(declare-const y (_ FloatingPoint 3 4))
(assert (= (fp.mul RNE x y) (fp #b0 #b011 #b000)))
(assert (fp.gt x y))
(check-sat)
