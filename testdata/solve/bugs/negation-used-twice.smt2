; expect: sat
; A disjunction with a negation was dropped though another assertion used that negation.
(declare-const x String)
(declare-const y String)
(declare-const p Bool)
(assert (distinct (str.++ (str.replace x x x) (ite p "aa" x)) x))
(assert (or (ite (str.in_re y (str.to_re "z")) (= 9 5) (str.contains y x)) (and (not p) (>= 57 0))))
(check-sat)
