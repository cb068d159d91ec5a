; expect: sat
; model: (define-fun x () (Nullable Int) (nullable.some 1))
; model: (define-fun y () (Nullable Int) (as nullable.null (Nullable Int)))
(declare-const x (Nullable Int))
(declare-const y (Nullable Int))
(assert (distinct x y))
(assert (nullable.is_null y))
(assert (> (nullable.val x) 0))
(check-sat)
