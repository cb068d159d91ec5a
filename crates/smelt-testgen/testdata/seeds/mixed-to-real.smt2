; expect: sat
; model: (define-fun n () Int 1)
; model: (define-fun x () Real (/ 5.0 4.0))
(declare-const x Real)
(declare-const n Int)
(assert (< (to_real n) x (to_real (+ n 1))))
(assert (= (* 4.0 x) 5.0))
(check-sat)
