; expect: never closed
(declare-const x Int)
(assert (and (= x 1) (= x