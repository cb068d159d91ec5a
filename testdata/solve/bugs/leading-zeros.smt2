; expect: unsat sat
; Z3 2736: no number is written with leading zeros.
(declare-const i Int)
(push 1)
(assert (= (str.from_int i) "00"))
(check-sat)
(pop 1)
(assert (= (str.from_int i) "0"))
(check-sat)
