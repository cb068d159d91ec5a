; expect: sat
; Z3 PR 10017: the ends of a range are not known.
(declare-const x String)
(assert (str.in_re "a" (re.range x x)))
(assert (= x "a"))
(check-sat)
