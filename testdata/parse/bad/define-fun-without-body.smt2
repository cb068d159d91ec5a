; expect: `define-fun` has the form
(define-fun f () Int)
