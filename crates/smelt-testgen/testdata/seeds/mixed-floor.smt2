; expect: sat
; model: (define-fun x () Real (/ 11.0 4.0))
; model: (define-fun n () Int 2)
(declare-const x Real)
(declare-const n Int)
(assert (= n (to_int x)))
(assert (> x 2.5))
(assert (< x 3.0))
(check-sat)
