; expect: sat unsat
; cvc5 1781: the alphabet reaches up to 0x2FFFF.
(declare-const x String)
(assert (> (str.to_code x) 196606))
(check-sat)
(assert (> (str.to_code x) 196607))
(check-sat)
