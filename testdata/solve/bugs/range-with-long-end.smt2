; expect: unsat sat
; cvc5 PR 6570: a range whose end is no character is empty.
(declare-const x String)
(push 1)
(assert (str.in_re x (re.range "a" "bc")))
(check-sat)
(pop 1)
(assert (str.in_re x (re.range "a" "b")))
(check-sat)
