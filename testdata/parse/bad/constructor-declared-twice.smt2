; expect: `c` is declared already
(declare-datatype D ((c) (c)))
