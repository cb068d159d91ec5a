; expect: sat
; After the first replacement the word occurs earlier than before: x is abba and y is ba.
(declare-const x String)
(declare-const y String)
(assert (not (= (str.replace (str.replace x y x) y x) (str.replace x y (str.replace x y x)))))
(check-sat)
