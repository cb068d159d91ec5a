; expect: expected a term of sort `Int`, found `Bool`
(define-fun f ((x Int)) Int (= x 1))
