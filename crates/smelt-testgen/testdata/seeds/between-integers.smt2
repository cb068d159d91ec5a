; expect: sat
; model: (define-fun i () Int 4)
; model: (define-fun x () Real (/ 19.0 4.0))
(declare-const x Real)
(declare-const i Int)
(assert (< (to_real i) x (to_real (+ i 1))))
(assert (= (to_int (* 2.0 x)) (+ 1 (* 2 i))))
(assert (not (is_int x)))
(check-sat)
