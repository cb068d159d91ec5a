; expect: sat
; The language has 2^100 derivatives, but its form shows a word.
(declare-const x String)
(assert (str.in_re x (re.+ (re.++ re.all (str.to_re "a") ((_ re.^ 100) re.allchar)))))
(check-sat)
