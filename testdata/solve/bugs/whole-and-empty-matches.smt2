; expect: unsat sat
; cvc5 6636: replace_re_all replaces the shortest matches that are not empty, replace_re also the empty one.
(declare-const a String)
(assert (= a "ab"))
(push 1)
(assert (not (= (str.replace_re_all a (re.* (re.range "a" "b")) "c") "cc")))
(check-sat)
(pop 1)
(assert (= (str.replace_re a (re.* (re.range "a" "b")) "c") "cab"))
(check-sat)
