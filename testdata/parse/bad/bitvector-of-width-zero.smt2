; expect: a bit-vector has a width from 1
(declare-const b (_ BitVec 0))
