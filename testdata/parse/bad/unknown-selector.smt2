; expect: unknown selector `g`
(declare-datatype D ((a (f Int))))
(declare-const d D)
(assert (= ((_ update g) d 1) d))
