; expect: `ff.add` has signature `(Field A) (Field A) -> (Field A)`, but argument 2 is a `(_ FiniteField 13)`
(assert (= (ff.add #f3m11 #f3m13) #f3m11))
