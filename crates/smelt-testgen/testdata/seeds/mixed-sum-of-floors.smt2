; expect: sat
; model: (define-fun y () Real (- (/ 1.0 4.0)))
; model: (define-fun x () Real (/ 1.0 4.0))
(declare-const x Real)
(declare-const y Real)
(assert (> (to_int (+ x y)) (+ (to_int x) (to_int y))))
(assert (< x 1.0))
(check-sat)
