; expect: expected a keyword
(assert (! true named a))
