; expect: sat
; model: (define-fun t () (Tuple Int Int) (tuple 0 1))
; model: (define-fun u () (Tuple Int Int) (tuple 1 0))
(declare-const t (Tuple Int Int))
(declare-const u (Tuple Int Int))
(assert (distinct t u))
(assert (= ((_ tuple.select 0) t) ((_ tuple.select 1) u)))
(assert (= ((_ tuple.select 1) t) ((_ tuple.select 0) u)))
(check-sat)
