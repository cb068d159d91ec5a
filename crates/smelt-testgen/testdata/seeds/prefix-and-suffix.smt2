; expect: sat
(declare-const x String)
(declare-const y String)
(assert (str.prefixof x y))
(assert (str.suffixof x y))
(assert (not (= x y)))
(assert (str.contains x "ab"))
(check-sat)
