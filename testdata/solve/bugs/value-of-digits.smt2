; expect: sat unsat
; Z3 4343: the value of a string is tied to its digits.
(declare-const a String)
(assert (= (str.to_int a) 1))
(check-sat)
(assert (= a "2"))
(check-sat)
