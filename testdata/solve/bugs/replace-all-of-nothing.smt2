; expect: unsat sat
; cvc5 4974: an empty needle replaces nothing, also behind a push.
(declare-const x String)
(declare-const d String)
(push 1)
(assert (not (= (str.replace_all x "" d) x)))
(check-sat)
(pop 1)
(assert (= (str.replace_all x "" d) "a"))
(check-sat)
