; expect: `str.in_re` has signature
(assert (str.in_re "a" "a"))
