; expect: expected a term
(assert #z12)
