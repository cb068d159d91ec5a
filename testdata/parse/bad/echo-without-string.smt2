; expect: `echo` has the form
(echo hello)
