(declare-const s String)
(assert (str.in.re s (re.++ (str.to.re "a") (re.* (str.to.re "b")))))
(assert (= (str.to.int s) 5))
(assert (= (int.to.str 7) s))
