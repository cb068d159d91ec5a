; expect: sat
; model: (define-fun x () Float32 (fp #b0 #x00 #b01010001111001011010010))
; model: (define-fun y () Float32 (fp #b1 #x00 #b01010001111001011010010))
(declare-const x Float32)
(declare-const y Float32)
(assert (not (fp.eq x y)))
(assert (fp.eq (fp.min x y) (fp.neg (fp.max x y))))
(assert (fp.isSubnormal x))
(check-sat)
