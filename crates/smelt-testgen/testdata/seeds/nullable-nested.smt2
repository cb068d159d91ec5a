; expect: sat
; model: (define-fun x () (Nullable (Nullable Int)) (nullable.some (as nullable.null (Nullable Int))))
(declare-const x (Nullable (Nullable Int)))
(assert (nullable.is_some x))
(assert (nullable.is_null (nullable.val x)))
(check-sat)
