; expect: sat
; model: (define-fun x () Float32 (fp #b0 #x7f #b10011101000000000000001))
(declare-const x Float32)
(assert (fp.isNormal x))
(assert (not (fp.eq (fp.fma RNE x x (fp.neg (fp.mul RNE x x))) (_ +zero 8 24))))
(assert (fp.lt x ((_ to_fp 8 24) RNE 2.0)))
(assert (fp.gt x ((_ to_fp 8 24) RNE 1.0)))
(check-sat)
