; expect: sat
(declare-const b Bool)
(declare-const x String)
(declare-const y String)
(assert (= x (ite b (str.++ "a" y) (str.replace y "a" "bb"))))
(assert (= (str.len x) (+ 1 (str.len y))))
(assert (or (str.contains y "ab") (and b (str.in_re y re.none))))
(assert (not (= (str.at x 0) "a")))
(check-sat)
