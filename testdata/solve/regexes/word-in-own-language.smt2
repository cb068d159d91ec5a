; expect: sat unsat
; A language may be made of the word that is looked for.
(declare-const x String)
(push)
(assert (str.in_re (str.++ "A" x) (re.* (re.++ (str.to_re x) (re.* (str.to_re "B"))))))
(check-sat)
(pop)
(assert (not (str.in_re x (re.* (re.++ (re.* (str.to_re "b")) (re.opt (str.to_re x)))))))
(check-sat)
