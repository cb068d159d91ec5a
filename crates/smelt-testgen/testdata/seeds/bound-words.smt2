; expect: sat
(declare-const x String)
(assert (let ((y (str.++ x "a")) (n (str.len x))) (and (> n 1) (not (= y (str.++ "a" x))) (str.contains y "aa"))))
(assert (exists ((z String)) (and (= (str.++ z z) x) (not (= z "")))))
(check-sat)
