; expect: unknown operator `str.prefix`
(declare-const x String)
(assert (str.prefix x "a"))
