; expect: `define-funs-rec` has the form
(define-funs-rec ((f () Int) (g () Int)) (1))
