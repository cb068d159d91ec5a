; expect: sat
; model: (define-fun n () Int 1)
; model: (define-fun x () Real (/ 1.0 2.0))
(declare-const n Int)
(declare-const x Real)
(assert (= (to_real n) (* 2.0 x)))
(assert (not (is_int x)))
(assert (< 0.0 x 1.0))
(check-sat)
