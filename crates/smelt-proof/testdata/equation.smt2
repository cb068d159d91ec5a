(declare-const x String)
(assert (and (= x "a") (= (str.len (str.++ x "bc")) 2)))
(check-sat)
