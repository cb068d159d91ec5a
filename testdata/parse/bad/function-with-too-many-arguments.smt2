; expect: `f` of sort `(-> Int Bool)` does not take these arguments
(set-logic HO_ALL)
(declare-const f (-> Int Bool))
(assert (f 1 2))
