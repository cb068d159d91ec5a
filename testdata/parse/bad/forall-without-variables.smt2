; expect: at least one variable
(assert (forall () true))
