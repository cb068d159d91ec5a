; expect: expected a term, found `:named`
(assert :named)
