; expect: unknown symbol `-1`
(assert (= 1 -1))
