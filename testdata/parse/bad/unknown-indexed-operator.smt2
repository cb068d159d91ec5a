; expect: unknown operator `(_ frob 3)`
(assert ((_ frob 3) true))
