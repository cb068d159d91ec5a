(define-const limit Int 10)
(assert (< 3 limit))
