; expect: sat
; model: (define-fun x () String "abba")
(declare-const x String)
(assert (not (str.in_re x (re.++ re.all (str.to_re "aa") re.all))))
(assert (str.in_re x (re.* (re.union (str.to_re "a") (str.to_re "b")))))
(assert (= (str.len x) 4))
(assert (= (str.at x 0) "a"))
(assert (= (str.at x 3) "a"))
(check-sat)
