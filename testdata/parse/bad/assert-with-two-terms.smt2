; expect: `assert` has the form
(assert true false)
