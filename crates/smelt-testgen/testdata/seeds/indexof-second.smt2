; expect: sat
(declare-const x String)
(declare-const i Int)
(assert (= i (str.indexof x "b" 0)))
(assert (> i 0))
(assert (= (str.indexof x "b" (+ i 1)) 4))
(assert (= (str.substr x 0 i) "aa"))
(check-sat)
