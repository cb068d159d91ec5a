; expect: sat
; model: (define-fun x () Real (/ 109739369.0 13717421.0))
(declare-const x Real)
(assert (= (* 123456789.0 x) 987654321.0))
(assert (> x 8.0))
(check-sat)
