; expect: `a` is declared already
(assert (! true :named a))
(assert (! false :named a))
