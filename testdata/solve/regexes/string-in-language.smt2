; expect: sat unsat
; A language with a string in it that is not known.
(declare-const x String)
(declare-const y String)
(assert (str.in_re x (re.++ (re.* re.allchar) (str.to_re "'") (str.to_re y) (re.+ (str.to_re "b")))))
(assert (= y "aa"))
(check-sat)
(assert (= x "'aab'"))
(check-sat)
