; expect: sat
(declare-const x String)
(declare-const y String)
(assert (str.< x y))
(assert (str.prefixof x y))
(assert (not (str.contains y "a")))
(assert (= (str.len y) (+ 2 (str.len x))))
(check-sat)
