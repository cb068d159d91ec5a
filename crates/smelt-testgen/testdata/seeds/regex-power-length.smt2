; expect: unsat
(declare-const x String)
(assert (str.in_re x ((_ re.^ 3) (re.range "0" "9"))))
(assert (> (str.len x) 3))
(check-sat)
