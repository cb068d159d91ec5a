; expect: `f` takes 2 arguments
(declare-fun f (Int Int) Bool)
(assert (f 1))
