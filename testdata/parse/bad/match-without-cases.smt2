; expect: cases of a match
(declare-datatype D ((a)))
(declare-const d D)
(assert (match d ()))
