; expect: `str.len` has signature
(assert (= (str.len 1) 1))
