; expect: sat
; Z3 8023: a string that is a part of itself.
(declare-const v String)
(assert (= v (str.substr v (str.indexof v " " 1) 2)))
(check-sat)
