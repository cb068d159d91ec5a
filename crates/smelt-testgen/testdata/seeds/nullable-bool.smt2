; expect: sat
; model: (define-fun x () (Nullable Bool) (nullable.some false))
(declare-const x (Nullable Bool))
(assert (nullable.is_some x))
(assert (not (nullable.val x)))
(check-sat)
