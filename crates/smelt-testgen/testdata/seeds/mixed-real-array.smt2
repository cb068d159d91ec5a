; expect: sat
; model: (define-fun a () (Array Real Real) (store (store ((as const (Array Real Real)) 21238.0) 21238.0 (/ 42477.0 2.0)) (/ 1.0 2.0) 1.0))
; model: (define-fun x () Real 21238.0)
(declare-const a (Array Real Real))
(declare-const x Real)
(assert (= (select a x) (+ x 0.5)))
(assert (= (select a (+ x 0.5)) x))
(assert (= (select a 0.5) 1.0))
(check-sat)
