; expect: sat
; model: (define-fun t () (Tuple Int Int) (tuple 1 2))
(declare-const t (Tuple Int Int))
(assert (= ((_ tuple.update 0) t 7) (tuple 7 2)))
(assert (= ((_ tuple.select 0) t) 1))
(check-sat)
