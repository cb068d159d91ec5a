; expect: argument 1 is a `Int`
(assert (and 1 2))
