; expect: sat
; model: (define-fun x () String "AAA")
; model: (define-fun y () String "AA")
(declare-const x String)
(declare-const y String)
(assert (= (+ (str.len x) (* 2 (str.len y))) 7))
(assert (= (str.++ x y) (str.++ y x)))
(assert (> (str.len x) (str.len y) 0))
(check-sat)
