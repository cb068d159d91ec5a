; expect: unsat sat
; Z3 3911: a loop with more repetitions at least than at most is empty.
(declare-const a String)
(push 1)
(assert (str.in_re a ((_ re.loop 189 0) (str.to_re "x"))))
(check-sat)
(pop 1)
(assert (not (str.in_re a ((_ re.loop 189 0) (str.to_re "x")))))
(check-sat)
