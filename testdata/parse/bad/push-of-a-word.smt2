; expect: `push` has the form
(push one)
