; expect: sat
(declare-const x String)
(declare-const n Int)
(assert (= (str.to_int x) n))
(assert (> n 9))
(assert (not (= (str.from_int n) x)))
(assert (< (str.len x) 4))
(check-sat)
