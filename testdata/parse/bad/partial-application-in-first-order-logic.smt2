; expect: `f` takes 2 arguments, but 1 given
(set-logic QF_UF)
(declare-fun f (Int Int) Bool)
(assert (f 1))
