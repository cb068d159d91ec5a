; expect: no declaration of `f` takes these arguments
(declare-fun f (Int) Int)
(declare-fun f (Bool) Int)
(assert (= (f "a") 1))
