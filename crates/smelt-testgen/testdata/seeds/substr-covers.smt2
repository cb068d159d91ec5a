; expect: sat
(declare-const x String)
(declare-const y String)
(declare-const i Int)
(assert (= (str.++ (str.substr x 0 i) y (str.substr x i (- (str.len x) i))) "abcabc"))
(assert (= x "abc"))
(check-sat)
