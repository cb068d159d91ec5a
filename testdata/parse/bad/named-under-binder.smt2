; expect: must not use variables
(assert (forall ((x Bool)) (! x :named a)))
