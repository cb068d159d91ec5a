; expect: expected a term of sort `Bool`, found `Int`
(assert 1)
