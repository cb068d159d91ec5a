; expect: unsat sat
; cvc5 6637: a letter for a letter does not change the length.
(declare-const a String)
(assert (= (str.len a) 2))
(push 1)
(assert (= (str.len (str.replace_re_all a (str.to_re "A") "B")) 3))
(check-sat)
(pop 1)
(assert (= (str.replace_re_all a (str.to_re "A") "B") "BB"))
(check-sat)
