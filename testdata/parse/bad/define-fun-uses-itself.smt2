; expect: unknown operator `f`
(define-fun f ((x Int)) Int (f x))
