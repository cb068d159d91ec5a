; expect: sat sat
; What the name stood for in the first check is no value for what it stands for in the second.
(push 1)
(declare-const c Int)
(assert (< 100 (* c c)))
(check-sat)
(pop 1)
(declare-const c String)
(assert (not (= (str.++ c "a") (str.++ "a" c))))
(check-sat)
