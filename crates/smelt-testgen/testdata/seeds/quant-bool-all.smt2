; expect: sat
; model: (define-fun p () Bool true)
(declare-const p Bool)
(assert (forall ((q Bool)) (or p q)))
(assert (exists ((q Bool)) (not (=> p q))))
(check-sat)
