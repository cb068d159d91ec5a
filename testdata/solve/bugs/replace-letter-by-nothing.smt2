; expect: unsat sat
; Z3 4065.
(declare-const a String)
(push 1)
(assert (= a (str.replace "A" a "")))
(check-sat)
(pop 1)
(assert (not (= a (str.replace "A" a ""))))
(check-sat)
