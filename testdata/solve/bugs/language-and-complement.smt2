; expect: unsat sat
; cvc5 4503: equality of languages.
(push 1)
(assert (= (re.comp (str.to_re "")) (str.to_re "")))
(check-sat)
(pop 1)
(assert (= (re.comp re.none) re.all))
(check-sat)
