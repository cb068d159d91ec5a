; expect: `f` is declared already
(declare-fun f (Int) Int)
(declare-fun f (Bool) Int)
