; expect: sat
; model: (define-fun x () (_ FloatingPoint 5 11) (_ -zero 5 11))
; model: (define-fun y () (_ FloatingPoint 5 11) (_ +zero 5 11))
(declare-const x (_ FloatingPoint 5 11))
(declare-const y (_ FloatingPoint 5 11))
(assert (fp.eq x y))
(assert (distinct x y))
(check-sat)
