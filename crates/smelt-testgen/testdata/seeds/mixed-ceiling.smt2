; expect: sat
; model: (define-fun x () Real (/ 25.0 8.0))
; model: (define-fun n () Int 4)
(declare-const x Real)
(declare-const n Int)
(assert (= n (- (to_int (- x)))))
(assert (= n 4))
(assert (< x 3.25))
(check-sat)
