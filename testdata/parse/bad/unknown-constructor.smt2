; expect: unknown constructor `b`
(declare-datatype D ((a)))
(declare-const d D)
(assert ((_ is b) d))
