; expect: `check-sat` has the form
(check-sat true)
