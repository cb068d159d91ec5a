; expect: sat
; model: (define-fun b () (_ BitVec 16) #xfc01)
(declare-const b (_ BitVec 16))
(assert (fp.isNaN ((_ to_fp 5 11) b)))
(assert (= ((_ extract 15 15) b) #b1))
(check-sat)
