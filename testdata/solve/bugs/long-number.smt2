; expect: unsat sat
; Z3 1581: a long string of digits is not negative.
(declare-const a String)
(assert (= a "99999999999999999999999999999999999999999"))
(push 1)
(assert (< (str.to_int a) 0))
(check-sat)
(pop 1)
(assert (> (str.to_int a) 9999999999999999999999999999999999999999))
(check-sat)
