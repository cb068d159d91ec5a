; expect: sat
; model: (define-fun t () (Tuple (Tuple Int Int) Bool) (tuple (tuple 1 2) false))
(declare-const t (Tuple (Tuple Int Int) Bool))
(assert (= ((_ tuple.select 0) t) (tuple 1 2)))
(assert (not ((_ tuple.select 1) t)))
(check-sat)
