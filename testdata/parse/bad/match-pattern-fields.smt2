; expect: has 1 fields
(declare-datatype D ((a (f Int))))
(declare-const d D)
(assert (match d (((a x y) true))))
