; expect: sat
; model: (define-fun x () Float32 (fp #b1 #x01 #b00101001111001010010110))
(declare-const x Float32)
(assert (fp.isNormal x))
(assert (fp.isSubnormal (fp.div RNE x ((_ to_fp 8 24) RNE 2.0))))
(assert (fp.isNegative x))
(check-sat)
