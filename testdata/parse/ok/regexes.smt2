(declare-const s String)
(assert (str.in_re s (re.++ (re.* (re.range "a" "z")) (re.+ (str.to_re "x")) (re.opt re.allchar))))
(assert (str.in_re s (re.union re.none re.all (re.inter re.all (re.comp (str.to_re "no"))))))
(assert (str.in_re s (re.diff re.all (str.to_re "b"))))
