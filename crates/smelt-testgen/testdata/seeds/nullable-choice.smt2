; expect: sat
; model: (define-fun x () (Nullable Int) (nullable.some 2))
; model: (define-fun p () Bool true)
(declare-const x (Nullable Int))
(declare-const p Bool)
(assert (= x (ite p (nullable.some 2) (as nullable.null (Nullable Int)))))
(assert (nullable.is_some x))
(check-sat)
