; expect: sat
; Z3 4376.
(declare-const x String)
(assert (xor (str.in_re x (re.inter re.allchar (str.to_re "a"))) (= x "b")))
(check-sat)
