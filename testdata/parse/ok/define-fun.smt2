(define-fun twice ((x Int)) Int (* 2 x))
(define-fun zero () Int 0)
(assert (= (twice zero) zero))
