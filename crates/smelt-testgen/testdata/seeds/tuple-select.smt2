; expect: sat
; model: (define-fun t () (Tuple Int Bool) (tuple 5 true))
(declare-const t (Tuple Int Bool))
(assert ((_ tuple.select 1) t))
(assert (> ((_ tuple.select 0) t) 4))
(check-sat)
