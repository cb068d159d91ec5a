; expect: cases of a match differ in sort
(declare-datatype D ((a) (b)))
(declare-const d D)
(assert (= 1 (match d ((a 1) (b true)))))
