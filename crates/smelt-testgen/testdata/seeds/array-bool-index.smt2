; expect: sat
; model: (define-fun a () (Array Bool Int) (store ((as const (Array Bool Int)) (- 1)) true 1))
(declare-const a (Array Bool Int))
(assert (> (select a true) (select a false)))
(assert (= (+ (select a true) (select a false)) 0))
(check-sat)
