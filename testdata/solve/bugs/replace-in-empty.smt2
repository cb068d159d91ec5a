; expect: sat unsat
; Z3 4019: an empty string with a needle that is not empty stays empty.
(declare-const a String)
(assert (= "" (str.replace "" a "B")))
(check-sat)
(assert (= a ""))
(check-sat)
