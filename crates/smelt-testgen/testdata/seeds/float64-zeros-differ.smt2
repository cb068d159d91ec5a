; expect: sat
; model: (define-fun x () Float64 (_ -zero 11 53))
; model: (define-fun y () Float64 (_ +zero 11 53))
(declare-const x Float64)
(declare-const y Float64)
(assert (fp.eq x y))
(assert (not (= x y)))
(check-sat)
