; expect: sat
; model: (define-fun x () Float32 (fp #b0 #x80 #b00100000000000000000000))
(declare-const x Float32)
(assert (fp.eq (fp.sqrt RTZ x) ((_ to_fp 8 24) RNE 1.5)))
(assert (fp.leq x ((_ to_fp 8 24) RNE 2.25)))
(check-sat)
