; expect: unsat
(declare-const x String)
(assert (let ((y (str.++ x "a")) (n (str.len x))) (and (> n 1) (< n 4) (not (= y (str.++ "a" x))))))
(assert (exists ((z String)) (and (= (str.++ z "b" z) x) (= (mod (str.len x) 2) 0))))
(check-sat)
