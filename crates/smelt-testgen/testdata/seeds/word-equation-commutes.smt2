; expect: sat
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x y) (str.++ y x)))
(assert (not (= x y)))
(assert (str.in_re x (re.+ (str.to_re "ab"))))
(assert (> (str.len y) (str.len x)))
(check-sat)
