; expect: unsat sat
; cvc5 6560: the start lies behind the end.
(declare-const a String)
(push 1)
(assert (> (str.indexof a "" (* 2 (str.len a))) 0))
(check-sat)
(pop 1)
(assert (>= (str.indexof a "" (* 2 (str.len a))) 0))
(check-sat)
