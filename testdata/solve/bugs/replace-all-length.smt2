; expect: unsat sat
; Z3-Noodler 272: the lengths around replace_all.
(declare-const x String)
(push 1)
(assert (= (str.len (str.replace_all x "a" "bb")) 3))
(assert (= (str.len x) 1))
(check-sat)
(pop 1)
(assert (= (str.len (str.replace_all x "a" "bb")) 3))
(assert (= (str.len x) 2))
(check-sat)
