; expect: `store` has signature
(declare-const a (Array Int Bool))
(assert (= a (store a 1 2)))
