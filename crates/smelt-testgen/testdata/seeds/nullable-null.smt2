; expect: sat
; model: (define-fun x () (Nullable Int) (as nullable.null (Nullable Int)))
(declare-const x (Nullable Int))
(assert (nullable.is_null x))
(check-sat)
