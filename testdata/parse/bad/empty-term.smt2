; expect: expected a term, found `()`
(assert ())
