; expect: `@` is given 2 arguments, but the function takes 1
(set-logic HO_ALL)
(declare-const f (-> Int Bool))
(assert (@ f 1 2))
