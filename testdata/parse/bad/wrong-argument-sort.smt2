; expect: argument 2 of `f` must have sort `Bool`, found `Int`
(declare-fun f (Int Bool) Bool)
(assert (f 1 2))
