; expect: `set.map` has signature
(set-logic HO_ALL)
(declare-fun f (Bool) Bool)
(declare-const s (Set Int))
(assert (= (set.map f s) (set.map f s)))
