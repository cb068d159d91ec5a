; expect: `assert` has the form
(assert)
