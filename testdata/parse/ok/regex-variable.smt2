(declare-const r RegLan)
(assert (str.in_re "a" (re.* r)))
