; expect: sat
; model: (define-fun x () (_ FloatingPoint 5 11) (_ -oo 5 11))
; model: (define-fun y () (_ FloatingPoint 5 11) (_ +oo 5 11))
(declare-const x (_ FloatingPoint 5 11))
(declare-const y (_ FloatingPoint 5 11))
(assert (fp.isInfinite x))
(assert (fp.isInfinite y))
(assert (fp.isNaN (fp.add RNE x y)))
(check-sat)
