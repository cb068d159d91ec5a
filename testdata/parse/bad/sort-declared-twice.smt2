; expect: sort `S` is declared already
(declare-sort S 0)
(declare-sort S 1)
