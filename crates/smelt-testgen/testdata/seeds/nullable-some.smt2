; expect: sat
; model: (define-fun x () (Nullable Int) (nullable.some 3))
(declare-const x (Nullable Int))
(assert (nullable.is_some x))
(assert (= (nullable.val x) 3))
(check-sat)
