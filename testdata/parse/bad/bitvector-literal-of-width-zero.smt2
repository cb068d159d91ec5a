; expect: a bit-vector has a width from 1
(assert (= (_ bv1 0) (_ bv1 0)))
