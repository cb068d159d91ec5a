; expect: sat
; model: (define-fun a () (Array Int Real) (store (store ((as const (Array Int Real)) 1.0) 1 0.0) 0 (- (/ 1.0 3.0))))
(declare-const a (Array Int Real))
(assert (< (select a 0) (select a 1)))
(assert (< (select a 1) (/ (+ (select a 0) (select a 2)) 2.0)))
(assert (= (select a 2) 1.0))
(check-sat)
