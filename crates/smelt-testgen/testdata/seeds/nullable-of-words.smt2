; expect: sat
; model: (define-fun x () (Nullable String) (nullable.some "ab"))
(declare-const x (Nullable String))
(assert (nullable.is_some x))
(assert (= (str.len (nullable.val x)) 2))
(assert (str.contains (nullable.val x) "a"))
(check-sat)
