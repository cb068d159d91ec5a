; expect: `1` is not a function
(assert (1 2))
