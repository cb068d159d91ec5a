; expect: `f` takes 1 argument
(declare-fun f (Int) Bool)
(assert (f 1 2))
