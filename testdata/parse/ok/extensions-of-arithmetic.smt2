(declare-const i Int)
(assert (= (^ i 2) (int.pow2 i)))
(assert (= ((_ iand 8) i 3) 1))
(assert (implies (iff true false) (= i 1)))
