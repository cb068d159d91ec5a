; expect: sat unsat
; Z3-Noodler 412: what holds for needles of one letter does not hold for others.
(declare-const x String)
(declare-const y String)
(assert (= x "aab"))
(assert (= y (str.replace x "ab" "b")))
(assert (str.contains y "ab"))
(check-sat)
(assert (not (= y "ab")))
(check-sat)
