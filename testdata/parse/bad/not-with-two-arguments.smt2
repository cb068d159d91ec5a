; expect: `not` takes 1 argument
(assert (not true false))
