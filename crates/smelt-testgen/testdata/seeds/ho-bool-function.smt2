; expect: sat
; model: (define-fun p ((b Bool)) Bool (not b))
(set-logic HO_ALL)
(declare-fun p (Bool) Bool)
(assert (p false))
(assert (not (p true)))
(assert (distinct p (lambda ((b Bool)) b)))
(check-sat)
