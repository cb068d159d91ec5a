; expect: expected a list of variables
(assert (forall x true))
