(declare-const s String)
(assert (str.in_re s ((_ re.loop 1 3) (str.to_re "a"))))
(assert (str.in_re s ((_ re.^ 4) (str.to_re "ab"))))
