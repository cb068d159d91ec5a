; expect: a quantifier ranges over a Boolean term
(assert (forall ((x Int)) x))
