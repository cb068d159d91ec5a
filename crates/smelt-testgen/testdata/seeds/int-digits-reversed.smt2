; expect: sat
; model: (define-fun b () Int 3)
; model: (define-fun a () Int 7)
(declare-const a Int)
(declare-const b Int)
(assert (<= 1 a 9))
(assert (<= 0 b 9))
(assert (= (+ (* 10 a) b) (+ (* 2 (+ (* 10 b) a)) (- 1))))
(check-sat)
