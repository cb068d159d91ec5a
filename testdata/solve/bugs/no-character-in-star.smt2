; expect: sat
; Z3 10492: a character inside of a starred language may be none.
(declare-const x String)
(declare-const y String)
(assert (= y ""))
(assert (= x ""))
(assert (str.in_re x (re.+ (str.to_re (str.at y 0)))))
(check-sat)
