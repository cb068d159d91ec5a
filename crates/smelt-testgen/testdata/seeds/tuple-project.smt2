; expect: sat
; model: (define-fun t () (Tuple Int Int Int) (tuple 1 2 3))
(declare-const t (Tuple Int Int Int))
(assert (= ((_ tuple.project 2 0) t) (tuple 3 1)))
(assert (= ((_ tuple.select 1) t) 2))
(check-sat)
