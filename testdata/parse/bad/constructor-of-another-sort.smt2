; expect: does not belong to
(declare-datatype D ((a)))
(assert ((_ is a) 1))
