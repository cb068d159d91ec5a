; expect: expected a term of sort `Bool`
(assert (= 1 1)
(assert 5)
