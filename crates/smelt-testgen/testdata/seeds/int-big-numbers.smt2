; expect: sat
; model: (define-fun x () Int 123456789012345678901234567940)
(declare-const x Int)
(assert (> x 123456789012345678901234567890))
(assert (= (mod x 97) 5))
(assert (< x 123456789012345678901234568000))
(check-sat)
