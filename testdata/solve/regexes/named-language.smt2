; expect: sat unsat
; A constant for a language has the term that it equals.
(declare-const r RegLan)
(declare-const x String)
(assert (= r (re.++ (re.+ (re.range "a" "c")) (str.to_re "d"))))
(assert (str.in_re x r))
(check-sat)
(assert (= (str.len x) 1))
(check-sat)
