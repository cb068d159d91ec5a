; expect: `ite` has signature
(assert (= 1 (ite true 1 "a")))
