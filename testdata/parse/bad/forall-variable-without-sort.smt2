; expect: a variable has the form
(assert (forall ((x)) true))
