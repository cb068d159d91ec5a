; expect: `par` is a reserved word
(assert (par (X) true))
