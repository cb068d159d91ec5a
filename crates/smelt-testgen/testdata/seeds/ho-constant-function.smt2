; expect: sat
; model: (define-fun f ((x Int)) Int 7)
(set-logic HO_ALL)
(declare-fun f (Int) Int)
(assert (= (f 0) 7))
(assert (= (f 1) (f 0)))
(check-sat)
